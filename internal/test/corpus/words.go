package corpus

import (
	"math/rand/v2"
	"strings"
)

var names = strings.Split("Amelia Ashworth,Tom Okafor,Priya Patel,Siobhán Ní Bhriain,Yusuf Demir,Zoë Brontë-Hughes,Łukasz Wójcik,由紀 田中,سارة الحداد,Οδυσσέας Ωρίωνος,Яна Яковлева,नेहा शर्मा", ",")

// The most frequent words. Words whose letters beyond ASCII test case folding are among
// the others, which are made of syllables without z, q and digits.
var (
	frequent = strings.Fields(`the and was it to with for but my is we not on they very that delivery support at all from order so
		quality what again had parcel when time service just after size price more really than team good would product late
		their customer still days never box better return app because week working first shipping always packaging friendly`)
	foreign   = strings.Fields("ÉCLAIR straße Ωραία Яблоко naïve garçon Ärger smørrebrød ΚΑΛΗΜΕΡΑ щедро jalapeño Größe œuvre Łódź мёд ÅNGSTRÖM çay Öffnung")
	syllables = strings.Fields("ba bre chi do dra fen flo ga gri hou kea la moi ner pla pri ro shai slo sta tes tri vo wan")
)

// slots has each word as often as it is frequent, after Zipf.
var slots = func() []string {
	random := rand.New(rand.NewPCG(1, 1))
	words := append(append([]string(nil), frequent...), foreign...)
	for len(words) < 8000 {
		word := ""
		for range 2 + random.IntN(3) {
			word += syllables[random.IntN(len(syllables))]
		}
		words = append(words, word)
	}
	var made []string
	for rank, word := range words {
		for range 1 + 80_000/(10*rank+27) {
			made = append(made, word)
		}
	}
	return made
}()

// text is n words, the first with a capital. Support and order never follow each other.
func (g *client) text(n int) string {
	var b strings.Builder
	previous := ""
	for i := range n {
		word := slots[g.IntN(len(slots))]
		if word == "order" && previous == "support" {
			word = "parcel"
		}
		previous = word
		switch c := word[0]; {
		case i > 0:
			b.WriteString(" " + word)
		case 'a' <= c && c <= 'z':
			b.WriteString(string(c-'a'+'A') + word[1:])
		default:
			b.WriteString(word)
		}
	}
	return b.String()
}

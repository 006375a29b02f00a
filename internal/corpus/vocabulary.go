package corpus

import "strings"

const (
	vocabularySize = 8000
	// slotBits is the size of the table that a draw looks its word up in: enough
	// for the rarest word to have a slot of its own.
	slotBits    = 17
	wordsADraw  = 64 / slotBits
	accentedOne = 40  // in so many invented words has an accent
	foreignStep = 350 // ranks between words of another script
)

// vocabulary is a list of words by falling frequency, after Zipf: real words
// first, then pronounceable ones.
type vocabulary struct {
	spaced []string // each word after a blank, ready to append
	slots  []uint16 // index into spaced, as often as the word is frequent
	// support and order never follow each other but where the phrase is planted.
	support, order, instead uint16
}

func newVocabulary() *vocabulary {
	words := frequentWords()
	seen := map[string]bool{}
	for _, w := range words {
		seen[w] = true
	}
	foreign := foreignWords()
	r := newRNG("vocabulary")
	for len(words) < vocabularySize {
		w := inventedWord(r)
		if n := len(words); n%foreignStep == 0 && n/foreignStep <= len(foreign) {
			w = foreign[n/foreignStep-1]
		}
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
	}
	v := &vocabulary{spaced: make([]string, len(words)), slots: make([]uint16, 0, 1<<slotBits)}
	for i, w := range words {
		v.spaced[i] = " " + w
		switch w {
		case "support":
			v.support = uint16(i)
		case "order":
			v.order = uint16(i)
		case "parcel":
			v.instead = uint16(i)
		}
	}
	v.fillSlots()
	return v
}

// fillSlots gives the word of rank k a share of 1/(k+2.7), in integers.
func (v *vocabulary) fillSlots() {
	weight := func(rank int) uint64 { return 1 << 40 / uint64(10*rank+27) }
	var total, passed uint64
	for k := range v.spaced {
		total += weight(k)
	}
	for k := range v.spaced {
		passed += weight(k)
		for until := passed >> 8 << slotBits / (total >> 8); uint64(len(v.slots)) < until; {
			v.slots = append(v.slots, uint16(k))
		}
	}
	for len(v.slots) < 1<<slotBits {
		v.slots = append(v.slots, uint16(len(v.spaced)-1))
	}
}

func frequentWords() []string {
	return strings.Fields(`the and was it to with for but my is we not on they very that delivery support at all from
		order so quality what again had parcel when time service just after size price more really than team good
		would product late their customer still days never box better return app because week working first shipping
		always packaging friendly online answer account could little without every shop easy money waiting tracking
		family morning refund message recipe jacket kitchen colour weather season finding cooking walking reading`)
}

// foreignWords test the folding of letters beyond ASCII.
func foreignWords() []string {
	return []string{
		"ÉCLAIR", "straße", "Ωραία", "Яблоко", "naïve", "garçon", "Ärger", "smørrebrød", "ΚΑΛΗΜΕΡΑ", "щедро", "jalapeño",
		"Größe", "œuvre", "Łódź", "мёд", "ἀγορά", "señal", "ÅNGSTRÖM", "çay", "šálek", "Öffnung", "ЧУДО",
	}
}

// inventedWord has no z, no q and no digit, so that certain searches find
// nothing.
func inventedWord(r *rng) string {
	onsets := []string{
		"b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "k", "l", "m", "n", "p", "pl", "pr", "r", "s", "sh",
		"sl", "st", "t", "tr", "v", "w",
	}
	vowels := []string{"a", "e", "i", "o", "u", "a", "e", "i", "o", "ai", "ea", "oo", "ou"}
	accents := []string{"é", "ü", "ø", "à", "ö", "ê", "î"}
	codas := []string{"", "", "", "", "", "", "n", "r", "l", "s", "t", "m", "nd", "st", "ck"}
	endings := []string{"", "", "", "", "", "ing", "ed", "er", "ly"}
	var b strings.Builder
	accent := r.below(accentedOne) == 0
	for range pick(r, []int{1, 1, 2, 2, 2, 3}) {
		b.WriteString(pick(r, onsets))
		if accent {
			b.WriteString(pick(r, accents))
			accent = false
		} else {
			b.WriteString(pick(r, vowels))
		}
		b.WriteString(pick(r, codas))
	}
	b.WriteString(pick(r, endings))
	return b.String()
}

// appendWords appends n words with blanks between them, the first with a
// capital.
func (v *vocabulary) appendWords(b []byte, r *rng, n int) []byte {
	start := len(b)
	previous := uint16(0)
	for n > 0 {
		draw := r.next()
		for range min(n, wordsADraw) {
			w := v.slots[draw&(1<<slotBits-1)]
			draw >>= slotBits
			if w == v.order && previous == v.support {
				w = v.instead
			}
			if word := v.spaced[w]; len(b) > start {
				b = append(b, word...)
			} else {
				b = append(b, word[1:]...)
			}
			previous = w
		}
		n -= wordsADraw
	}
	if c := b[start]; 'a' <= c && c <= 'z' {
		b[start] = c - 'a' + 'A'
	}
	return b
}

// text is appendWords for whoever needs no speed.
func (v *vocabulary) text(r *rng, n int) string { return string(v.appendWords(nil, r, n)) }

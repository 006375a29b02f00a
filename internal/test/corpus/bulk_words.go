package corpus

import (
	"slices"
	"strings"
)

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
	spaced []string // each word after a blank
	slots  []uint16 // index into spaced, as often as the word is frequent
	// support and order never follow each other but where the phrase is planted.
	support, order, instead uint16
}

func newVocabulary(t wordTexts) *vocabulary {
	words := slices.Clone(t.Frequent)
	seen := map[string]bool{}
	for _, w := range words {
		seen[w] = true
	}
	r := newRNG("vocabulary")
	for len(words) < vocabularySize {
		w := t.invented(r)
		if n := len(words); n%foreignStep == 0 && n/foreignStep <= len(t.Foreign) {
			w = t.Foreign[n/foreignStep-1]
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

// wordTexts are words, and the syllables of which others are made.
type wordTexts struct {
	Frequent []string // by falling frequency
	Foreign  []string // letters beyond ASCII
	Onsets   []string
	Vowels   []string
	Accents  []string
	Codas    []string // some are empty
	Endings  []string
}

// invented makes a pronounceable word.
func (t wordTexts) invented(r *rng) string {
	var b strings.Builder
	accent := r.below(accentedOne) == 0
	for range pick(r, []int{1, 1, 2, 2, 2, 3}) {
		b.WriteString(pick(r, t.Onsets))
		if accent {
			b.WriteString(pick(r, t.Accents))
			accent = false
		} else {
			b.WriteString(pick(r, t.Vowels))
		}
		b.WriteString(pick(r, t.Codas))
	}
	b.WriteString(pick(r, t.Endings))
	return b.String()
}

// text is n words with blanks between them, the first with a capital.
func (v *vocabulary) text(r *rng, n int) string {
	var b strings.Builder
	b.Grow(8 * n)
	previous := uint16(0)
	for n > 0 {
		draw := r.next()
		for range min(n, wordsADraw) {
			w := v.slots[draw&(1<<slotBits-1)]
			draw >>= slotBits
			if w == v.order && previous == v.support {
				w = v.instead
			}
			word := v.spaced[w]
			if b.Len() == 0 {
				word = word[1:]
				if c := word[0]; 'a' <= c && c <= 'z' {
					b.WriteByte(c - 'a' + 'A')
					word = word[1:]
				}
			}
			b.WriteString(word)
			previous = w
		}
		n -= wordsADraw
	}
	return b.String()
}

package corpus

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wording fills sentence templates for one customer. A slot keeps its
// first choice for the whole conversation: the trip of the first answer is the
// trip of the last, and the boot does not become a tent halfway.
type wording struct {
	r     *rng
	slots map[string][]string
	said  map[string]string
	used  map[string]bool
}

func newWording(r *rng, b brandTexts, c *campaign) *wording {
	slots := make(map[string][]string, len(b.Slots)+4)
	for name, values := range b.Slots {
		slots[name] = values
	}
	if c != nil {
		for name, values := range c.Slots {
			slots[name] = values
		}
	}
	slots["rival"] = b.Competitors
	slots["brand"] = []string{b.Brand.Name}
	return &wording{r: r, slots: slots, said: map[string]string{}, used: map[string]bool{}}
}

// say picks a template this customer has not used yet and fills it.
func (v *wording) say(from []string) string {
	chosen := pick(v.r, from)
	for range 2 * len(from) {
		if !v.used[chosen] {
			break
		}
		chosen = pick(v.r, from)
	}
	v.used[chosen] = true
	return v.fill(chosen)
}

func (v *wording) fill(template string) string { return capital(v.fillLower(template)) }

// fillLower fills a phrase that goes into the middle of a sentence.
func (v *wording) fillLower(template string) string {
	var b strings.Builder
	rest := template
	for {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(rest, '}')
		b.WriteString(rest[:open])
		word := v.slot(rest[open+1 : end])
		if strings.HasSuffix(rest[:open], ". ") {
			word = capital(word)
		}
		b.WriteString(word)
		rest = rest[end+1:]
	}
	b.WriteString(rest)
	return b.String()
}

func (v *wording) slot(name string) string {
	if word, ok := v.said[name]; ok {
		return word
	}
	v.said[name] = pick(v.r, v.slots[name])
	return v.said[name]
}

// setScore makes {n}, {a} and {A} speak of one score.
func (v *wording) setScore(tenths int, spelled bool) {
	v.said["n"] = strconv.Itoa(tenths / 10)
	if tenths%10 != 0 {
		v.said["n"] += "." + strconv.Itoa(tenths%10)
	}
	if spelled {
		v.said["n"] = [...]string{
			"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
		}[tenths/10]
		if tenths%10 != 0 {
			v.said["n"] += " and a half"
		}
	}
	v.said["a"], v.said["A"] = "a", "A"
	if tenths/10 == 8 {
		v.said["a"], v.said["A"] = "an", "An"
	}
}

// addFiller puts a filler before some sentences and a smile behind a few. The
// filler is left out before words that it might not go with.
func (c *conversation) addFiller(sentence string) string {
	if c.r.chance(280) {
		first, _, _ := strings.Cut(sentence, " ")
		switch first {
		case "The", "It", "My", "We", "They", "You", "There", "That", "This", "When", "After", "A", "If", "Nobody", "Two":
			sentence = pick(c.r, c.english.Fillers) + strings.ToLower(sentence[:1]) + sentence[1:]
		case "I", "I'm", "I've", "I'd":
			sentence = pick(c.r, c.english.Fillers[:len(c.english.Fillers)-3]) + sentence
		}
	}
	if c.r.chance(40) {
		sentence += pick(c.r, c.english.Emojis)
	}
	return sentence
}

func capital(s string) string {
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(first)) + s[size:]
}

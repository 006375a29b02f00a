package corpus

import "slices"

// book is everything a brand's customers can talk about. The text tables are
// functions that return a fresh book, so that nobody can change a shared one.
type book struct {
	brand      Brand
	interviews int
	lanes      []laneText
	campaigns  []campaignText
	themes     []theme
	products   []product
	// slots fill {name} in every sentence; one interview keeps its choices.
	slots map[string][]string
	// liked and disliked are said of the product itself.
	liked, disliked []string
	competitors     []string
	rivalBetter     []string
	rivalWorse      []string
	concepts        []concept
	// traits are brand-specific extraction fields, in the order they are written.
	traits []trait
}

type laneText struct {
	slug, name string
	visible    bool
	// formerSlug is the slug under which a basis was saved before a rename.
	formerSlug string
}

type campaignText struct {
	slug, name, kind        string
	brief, goal, context    string
	segment, playbook, pace string
	questions               []string
	legacyQuestions         bool
	active                  *bool
	status                  string
	launchedDays, endedDays int // days before now; 0 is never
	weight                  int // share of the interviews
	gloom                   int // added to the detractors, per mille
	// emphasis multiplies a theme's weight; 0 silences it.
	emphasis map[string]int
	// slots and fixed replace the brand's where they would contradict the
	// campaign: a newcomer has no tenth order.
	slots            map[string][]string
	fixed            map[string]any
	openers, stories []string
	quests           []quest
}

// quest is one of the campaign's own questions, with answers of the unhappy and
// of the others.
type quest struct {
	ask       string
	low, high []string
}

// live is the campaign's part of the usable rule.
func (c campaignText) live() bool {
	return c.status == "live" && (c.active == nil || *c.active)
}

// build says what can be wrong with a product: nobody complains about the
// sleeves of a stove.
type build int

const (
	hard build = iota
	soft       // has seams, zips, a coating
	worn       // has sleeves and a size as well
)

type product struct {
	name  string
	made  build
	kind  string
	parts []string
}

type direction int

const (
	steady  direction = iota
	rising            // complaints grow through the last 30 days
	falling           // complaints drop after a fix 60 days ago
)

// theme is one subject in a complaint's and in a praise's words.
type theme struct {
	key, label, lane string
	needs            build
	weight           int // as a complaint
	praiseWeight     int
	trend            direction
	complaints       []complaint
	probes           []string // the interviewer's follow-up to a complaint
	impacts          []string // the customer's answer to it
	praises          []string
	delights         []string
	requests         []string // noun phrases
	actions          []string
	reply            string // what a service team says to it
}

// complaint is a sentence and what an analyst would note of it.
type complaint struct{ say, pain string }

type concept struct {
	title, hook, theme, lane string
	notes                    []string
}

// trait is drawn from values, unless the customer has said it: then bySlot
// has the value that goes with the words.
type trait struct {
	name   string
	values []any
	slot   string
	bySlot map[string]any
}

func (b book) theme(key string) theme {
	i := slices.IndexFunc(b.themes, func(t theme) bool { return t.key == key })
	return b.themes[i]
}

func (b book) lane(slug string) laneText {
	i := slices.IndexFunc(b.lanes, func(l laneText) bool { return l.slug == slug })
	return b.lanes[i]
}

func books() []book { return []book{alderpeak(), brightlarder()} }

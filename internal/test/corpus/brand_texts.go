package corpus

import "slices"

// brandTexts are what a brand's customers talk about.
type brandTexts struct {
	Brand      brand `yaml:"-"`
	Interviews int
	Lanes      []lane
	Campaigns  []campaign
	Themes     []theme
	Products   []product
	// Slots fill {name} in every sentence; one interview keeps its choices.
	Slots map[string][]string
	// Liked and Disliked are said of the product itself.
	Liked, Disliked  []string
	Competitors      []string
	CompetitorBetter []string `yaml:"competitor_better"`
	CompetitorWorse  []string `yaml:"competitor_worse"`
	Concepts         []concept
	// ExtractionFields are the brand's own, in the order they are written.
	ExtractionFields []extractionField `yaml:"extraction_fields"`
}

type lane struct {
	Slug, Name string
	Visible    bool
	// FormerSlug is the slug under which a basis was saved before a rename.
	FormerSlug string `yaml:"former_slug,omitempty"`
}

type campaign struct {
	Slug            string
	Name            string
	InterviewType   string   `yaml:"interview_type"`
	Brief           string   `yaml:",omitempty"`
	Goal            string   `yaml:",omitempty"`
	Context         string   `yaml:",omitempty"`
	Segment         string   `yaml:",omitempty"`
	Playbook        string   `yaml:",omitempty"`
	Cadence         string   `yaml:",omitempty"`
	KeyQuestions    []string `yaml:"key_questions,omitempty"`
	LegacyQuestions bool     `yaml:"legacy_questions"`
	Active          *bool
	Status          string
	// LaunchedDays and EndedDays are days before now; 0 is never.
	LaunchedDays int `yaml:"launched_days"`
	EndedDays    int `yaml:"ended_days"`
	// Weight is the campaign's share of the interviews.
	Weight int
	// ExtraDetractors are per mille.
	ExtraDetractors int `yaml:"extra_detractors"`
	// ThemeFactors multiply themes' weights; 0 silences one.
	ThemeFactors map[string]int `yaml:"theme_factors"`
	// Slots and FixedExtraction replace the brand's where they would contradict
	// the campaign: a newcomer has no tenth order.
	Slots            map[string][]string
	FixedExtraction  map[string]any `yaml:"fixed_extraction"`
	Openers, Stories []string
	Questions        []question
}

// question is one of the campaign's own.
type question struct {
	Question       string
	Unhappy, Happy []string
}

// live is the campaign's part of the usable rule.
func (c campaign) live() bool {
	return c.Status == "live" && (c.Active == nil || *c.Active)
}

// material says what can be wrong with a product: nobody complains about the
// sleeves of a stove.
type material string

// rank orders materials: each has what those before it have. None is -1.
func (m material) rank() int {
	return slices.Index([]material{
		"hard",
		"soft", // has seams, zips, a coating
		"worn", // has sleeves and a size as well
	}, m)
}

type product struct {
	Name     string
	Material material
	Group    string
	Parts    []string `yaml:",omitempty"`
}

// A theme's trend, if it has any.
const (
	rising  = "rising"  // complaints grow through the last 30 days
	falling = "falling" // complaints drop after a fix 60 days ago
)

// theme is one subject in a complaint's and in a praise's words.
type theme struct {
	Key, Label, Lane string
	Needs            material `yaml:",omitempty"` // what a product must be for a complaint
	Weight           int      // as a complaint
	PraiseWeight     int      `yaml:"praise_weight"`
	Trend            string   `yaml:",omitempty"`
	Complaints       []complaint
	Probes           []string // the interviewer's follow-up to a complaint
	Impacts          []string // the customer's answer to it
	Praises          []string
	Delights         []string
	Requests         []string // noun phrases
	Actions          []string
	Reply            string // what a service team says to it
}

// complaint is a sentence and what an analyst would note of it.
type complaint struct {
	Text      string
	PainPoint string `yaml:"pain_point"`
}

type concept struct {
	Title, Hook, Theme, Lane string
	Notes                    []string
}

// extractionField is drawn from Values, unless the customer has said it: then
// BySlot has the value that goes with the words.
type extractionField struct {
	Name   string
	Values []any
	Slot   string         `yaml:",omitempty"`
	BySlot map[string]any `yaml:"by_slot"`
}

func (b brandTexts) theme(key string) theme {
	return b.Themes[slices.IndexFunc(b.Themes, func(t theme) bool { return t.Key == key })]
}

func (b brandTexts) lane(slug string) lane {
	return b.Lanes[slices.IndexFunc(b.Lanes, func(l lane) bool { return l.Slug == slug })]
}

package corpus

// english is what conversations in English have, whatever the brand: the
// interviewer's frame, and the ways in which a conversation can fail.
type english struct {
	Names            names
	Greeting, Ready  []string
	Openers, Stories []string
	StandOut         []string `yaml:"stand_out"`
	More             []string
	Sorry, Glad, Dig []string
	AskCompetitor    []string `yaml:"ask_competitor"`
	NoCompetitor     []string `yaml:"no_competitor"`
	AskScore         []string `yaml:"ask_score"`
	ScoreLow         []string `yaml:"score_low"` // {n} is the score, {a} its article
	ScoreMiddle      []string `yaml:"score_middle"`
	ScoreHigh        []string `yaml:"score_high"`
	AskChange        []string `yaml:"ask_change"`
	Change           []string
	ChangeNothing    []string `yaml:"change_nothing"`
	Goodbye, Thanks  []string
	Fillers, Emojis  []string
	Shrugs           []string
	ShortStart       []string `yaml:"short_start"`
	ShortEnd         []string `yaml:"short_end"`
	Garbled          []string
	TestCall         []string `yaml:"test_call"`
	NotReportable    []string `yaml:"not_reportable"`
	NotClientSafe    []string `yaml:"not_client_safe"`
	BrokenOff        []string `yaml:"broken_off"`
}

// locale is a language other than English in which some customers talk. The
// extraction stays English, the quotes do not.
type locale struct {
	Code                  string
	Weight                int
	Names                 names
	Greeting, Ready       []string
	Opening, Story        []string
	StandOut              []string `yaml:"stand_out"`
	More                  []string
	Probe, Upset, Pleased []string
	AskScore              []string `yaml:"ask_score"`
	Score                 []string // {n} is the score
	AskChange             []string `yaml:"ask_change"`
	Change                []string
	Goodbye, Thanks       []string
	// Brands holds sentences by brand slug and theme key.
	Brands map[string]map[string]themeTexts
}

type themeTexts struct {
	Complaints []complaint
	Praises    []string
}

// themes lists the brand's themes that this language has words for, in the
// brand's order.
func (l locale) themes(b brandTexts) []string {
	var keys []string
	for _, th := range b.Themes {
		if _, ok := l.Brands[b.Brand.Slug][th.Key]; ok {
			keys = append(keys, th.Key)
		}
	}
	return keys
}

// person is a name as its owner writes it, and the letters that an e-mail
// address can hold.
type person struct{ First, Last, Mailbox string }

func (p person) full() string { return p.First + " " + p.Last }

// names are the people who are interviewed in a language: each first name with
// each last name, both given with their letters of the address, and People.
type names struct {
	First, Last [][2]string `yaml:",omitempty"`
	People      []person    `yaml:",omitempty"`
}

func (n names) all() []person {
	var all []person
	for _, first := range n.First {
		for _, last := range n.Last {
			all = append(all, person{first[0], last[0], first[1] + "." + last[1]})
		}
	}
	return append(all, n.People...)
}

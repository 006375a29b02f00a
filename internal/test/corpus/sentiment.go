package corpus

// sentiment is the customer's, and decides the score, the words and the themes.
type sentiment int

const (
	detractor sentiment = iota
	passive
	promoter
)

// sentiment draws one: some campaigns have more detractors, and the last month
// has more every day.
func (g *generator) sentiment(r *rng, p plan, campaign *campaign) sentiment {
	detractors := 230
	if campaign != nil {
		detractors += campaign.ExtraDetractors
	}
	if age := p.ageDays(g.now); age < 30 {
		detractors += 20 + 3*(30-age)
	}
	return sentiment(r.weighted([]int{detractors, 290, max(60, 1000-290-detractors)}))
}

// draws are what a sentiment makes likely; a value is as likely as it is often
// listed.
var draws = [...]struct {
	scores []int // in tenths, because people do say eight and a half
	// negative is, for each theme that is mentioned, whether the customer disliked it.
	negative         [][]bool
	sentiment, churn []string
}{
	detractor: {
		scores:    []int{0, 10, 20, 30, 30, 40, 40, 50, 50, 50, 60, 60, 60, 60},
		negative:  [][]bool{{true, true}, {true}, {true, false}, {true, true}, {true, true, false}},
		sentiment: []string{"negative", "negative", "negative", "mixed"},
		churn:     []string{"high", "high", "high", "medium", "medium"},
	},
	passive: {
		scores:    []int{70, 70, 80, 80, 80},
		negative:  [][]bool{{true, false}, {false, true}, {true}, {false}, {true, false, false}},
		sentiment: []string{"neutral", "neutral", "mixed", "mixed", "positive"},
		churn:     []string{"medium", "medium", "low", "low"},
	},
	promoter: {
		scores:    []int{90, 90, 100},
		negative:  [][]bool{{false}, {false, false}, {false, false}, {false, true}, {false, false, true}},
		sentiment: []string{"positive", "positive", "positive", "positive", "positive", "mixed"},
		churn:     []string{"low", "low", "low", "low", "low", "low", "low", "medium"},
	},
}

func scoreOf(r *rng, m sentiment) int {
	score := pick(r, draws[m].scores)
	if score == 80 && r.chance(40) {
		return 85
	}
	return score
}

// mentions picks up to three different themes and whether they please.
func (g *generator) mentions(r *rng, p plan, campaign *campaign, m sentiment, l *locale) []mention {
	negative := pick(r, draws[m].negative)
	taken := map[string]bool{}
	if l != nil {
		negative = negative[:min(2, len(negative))]
		for _, th := range g.texts.Themes {
			taken[th.Key] = true
		}
		for _, key := range l.themes(g.texts) {
			taken[key] = false
		}
	}
	chosen := make([]mention, 0, len(negative))
	for _, bad := range negative {
		weights := make([]int, len(g.texts.Themes))
		for i, th := range g.texts.Themes {
			if !taken[th.Key] {
				weights[i] = themeWeight(th, bad, p.ageDays(g.now), campaign)
			}
		}
		th := g.texts.Themes[r.weighted(weights)]
		taken[th.Key] = true
		chosen = append(chosen, mention{theme: th, negative: bad})
	}
	return chosen
}

// themeWeight is a theme's weight at an age in days: a rising one grows fourfold
// over its last 30 days, a falling one was fixed 60 days ago.
func themeWeight(th theme, negative bool, age int, campaign *campaign) int {
	w := 100 * th.PraiseWeight
	if negative {
		w = 100 * th.Weight
	}
	switch {
	case th.Trend == rising && age < 30 && negative:
		w += w * (30 - age) / 10
	case th.Trend == rising && age < 30:
		w /= 2
	case th.Trend == falling && age < 60 && negative:
		w = w * 35 / 100
	case th.Trend == falling && age < 60:
		w *= 2
	}
	if campaign != nil {
		if factor, ok := campaign.ThemeFactors[th.Key]; ok {
			w *= factor
		}
	}
	return w
}

package corpus

// mood is the customer's, and decides the score, the words and the themes.
type mood int

const (
	detractor mood = iota
	passive
	promoter
)

// mood tells the demo's story: some campaigns hear sadder people, and since the
// last month there is more to be sad about.
func (s *studio) mood(r *rng, p plan, campaign *campaignText) mood {
	sad := 230
	if campaign != nil {
		sad += campaign.gloom
	}
	if age := p.ageDays(s.now); age < 30 {
		sad += 20 + 3*(30-age)
	}
	return mood(r.weighted([]int{sad, 290, max(60, 1000-290-sad)}))
}

// scoreOf is in tenths, because people do say eight and a half.
func scoreOf(r *rng, m mood) int {
	var score int
	switch m {
	case detractor:
		score = pick(r, []int{0, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 6, 6})
	case passive:
		score = pick(r, []int{7, 7, 8, 8, 8})
		if score == 8 && r.chance(40) {
			return 85
		}
	default:
		score = pick(r, []int{9, 9, 10})
	}
	return score * 10
}

// mentions picks two or three different themes and whether they please.
func (s *studio) mentions(r *rng, p plan, campaign *campaignText, m mood, t *tongue) []mention {
	var negative []bool
	switch m {
	case detractor:
		negative = pick(r, [][]bool{{true, true}, {true}, {true, false}, {true, true}, {true, true, false}})
	case passive:
		negative = pick(r, [][]bool{{true, false}, {false, true}, {true}, {false}, {true, false, false}})
	default:
		negative = pick(r, [][]bool{{false}, {false, false}, {false, false}, {false, true}, {false, false, true}})
	}
	taken := map[string]bool{}
	if t != nil {
		negative = negative[:min(2, len(negative))]
		for _, th := range s.book.themes {
			taken[th.key] = true
		}
		for _, key := range t.keys(s.book) {
			taken[key] = false
		}
	}
	chosen := make([]mention, 0, len(negative))
	for _, bad := range negative {
		weights := make([]int, len(s.book.themes))
		for i, th := range s.book.themes {
			if !taken[th.key] {
				weights[i] = weightOf(th, bad, p.ageDays(s.now), campaign)
			}
		}
		th := s.book.themes[r.weighted(weights)]
		taken[th.key] = true
		chosen = append(chosen, mention{theme: th, negative: bad})
	}
	return chosen
}

// weightOf is a theme's weight at an age in days: a rising one grows fourfold
// over its last 30 days, a falling one was mended 60 days ago.
func weightOf(th theme, negative bool, age int, campaign *campaignText) int {
	w := 100 * th.praiseWeight
	if negative {
		w = 100 * th.weight
	}
	switch {
	case th.trend == rising && age < 30 && negative:
		w += w * (30 - age) / 10
	case th.trend == rising && age < 30:
		w /= 2
	case th.trend == falling && age < 60 && negative:
		w = w * 35 / 100
	case th.trend == falling && age < 60:
		w *= 2
	}
	if campaign != nil {
		if factor, ok := campaign.emphasis[th.key]; ok {
			w *= factor
		}
	}
	return w
}

func sentimentOf(r *rng, m mood) string {
	switch m {
	case detractor:
		return pick(r, []string{"negative", "negative", "negative", "mixed"})
	case passive:
		return pick(r, []string{"neutral", "neutral", "mixed", "mixed", "positive"})
	default:
		return pick(r, []string{"positive", "positive", "positive", "positive", "positive", "mixed"})
	}
}

func churnOf(r *rng, m mood) string {
	switch m {
	case detractor:
		return pick(r, []string{"high", "high", "high", "medium", "medium"})
	case passive:
		return pick(r, []string{"medium", "medium", "low", "low"})
	default:
		return pick(r, []string{"low", "low", "low", "low", "low", "low", "low", "medium"})
	}
}

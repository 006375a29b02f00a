package corpus

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// windowDays is the default window of the analytics route, so that a
// document's counts can be held against that route's.
const windowDays = 30

// publication is the data of a document at one moment: the usable interviews of
// a scope, and the latest two windows of UTC days among them.
type publication struct {
	texts    brandTexts
	asOf     time.Time
	from, to string
	scope    []interview
	window   []interview
	previous []interview
}

func newPublication(b brandTexts, interviews []interview, asOf time.Time, keep func(interview) bool) publication {
	today := asOf.Truncate(24 * time.Hour)
	from := today.AddDate(0, 0, 1-windowDays)
	before := from.AddDate(0, 0, -windowDays)
	e := publication{texts: b, asOf: asOf, from: from.Format(dayLayout), to: today.Format(dayLayout)}
	for _, c := range interviews {
		if !c.usable || c.at.After(asOf) || !keep(c) {
			continue
		}
		e.scope = append(e.scope, c)
		switch {
		case !c.at.Before(from):
			e.window = append(e.window, c)
		case !c.at.Before(before):
			e.previous = append(e.previous, c)
		}
	}
	return e
}

func allInterviews(interview) bool { return true }

func ofCampaign(index int) func(interview) bool {
	return func(c interview) bool { return c.campaign == index }
}

func ofDay(day string) func(interview) bool {
	return func(c interview) bool { return c.at.Format(dayLayout) == day }
}

// mentioning are the window's interviews that touch one of a lane's themes.
func (e publication) mentioning(lane string) []interview {
	var interviews []interview
	for _, c := range e.window {
		if slices.ContainsFunc(c.mentions, func(m mention) bool { return m.theme.Lane == lane }) {
			interviews = append(interviews, c)
		}
	}
	return interviews
}

// ids are the scope's interviews in ascending order, as bases list them.
func (e publication) ids() []uuid.UUID {
	ids := make([]uuid.UUID, len(e.scope))
	for i, c := range e.scope {
		ids[i] = c.line.ID
	}
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return slices.Compare(a[:], b[:]) })
	return ids
}

// scores counts the recommendation bands that the analytics route shows.
type scores struct{ promoters, passives, detractors, unknown int }

func scoresOf(interviews []interview) scores {
	var s scores
	for _, c := range interviews {
		switch band(c) {
		case "promoter":
			s.promoters++
		case "passive":
			s.passives++
		case "detractor":
			s.detractors++
		default:
			s.unknown++
		}
	}
	return s
}

func band(c interview) string {
	switch nps := c.line.NPSScore; {
	case nps == nil:
		return "unknown"
	case *nps >= 9:
		return "promoter"
	case *nps >= 7:
		return "passive"
	default:
		return "detractor"
	}
}

// nps is promoters minus detractors, in per cent of those who gave a score.
func (s scores) nps() int {
	known := s.promoters + s.passives + s.detractors
	if known == 0 {
		return 0
	}
	return (s.promoters - s.detractors) * 100 / known
}

// finding is one theme's evidence in a publication.
type finding struct {
	theme                theme
	mentions             int
	negative, positive   int
	previousNegative     int
	share, previousShare int // complaints, per mille of the window's interviews
	highRisk             int // complaints by customers at high churn risk
	quotes               []interview
}

// findings counts the themes that keep lets through, most mentioned first.
func (e publication) findings(keep func(theme) bool) []finding {
	var found []finding
	for _, th := range e.texts.Themes {
		if !keep(th) {
			continue
		}
		f := finding{theme: th}
		for _, c := range e.window {
			f.count(c)
		}
		f.quotes = e.quotesOn(th, f.negative > f.positive)
		for _, c := range e.previous {
			for _, m := range c.mentions {
				if m.theme.Key == th.Key && m.negative {
					f.previousNegative++
				}
			}
		}
		f.share = perMille(f.negative, len(e.window))
		f.previousShare = perMille(f.previousNegative, len(e.previous))
		if f.mentions > 0 {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return b.mentions - a.mentions })
	return found
}

func (f *finding) count(c interview) {
	for _, m := range c.mentions {
		if m.theme.Key != f.theme.Key {
			continue
		}
		f.mentions++
		if m.negative {
			f.negative++
			if c.line.ChurnRisk != nil && *c.line.ChurnRisk == "high" {
				f.highRisk++
			}
		} else {
			f.positive++
		}
	}
}

// quotesOn picks up to three quotes on a theme, newest first, because a quote
// should still be news; those of the more frequent sentiment come first.
func (e publication) quotesOn(th theme, negative bool) []interview {
	var quotes []interview
	seen := map[string]bool{}
	for _, wanted := range []bool{negative, !negative} {
		for i := len(e.window) - 1; i >= 0 && len(quotes) < 3; i-- {
			c := e.window[i]
			if m := c.mentions[0]; m.theme.Key == th.Key && m.negative == wanted && !seen[m.quote] {
				seen[m.quote] = true
				quotes = append(quotes, c)
			}
		}
	}
	return quotes
}

// direction compares the share of complaints in the two windows; small changes
// and small numbers count as steady.
func (f finding) direction() string {
	switch change := f.share - f.previousShare; {
	case f.negative >= 4 && change >= 40 && f.share*10 >= f.previousShare*13:
		return "rising"
	case f.previousNegative >= 4 && change <= -40 && f.share*13 <= f.previousShare*10:
		return "falling"
	default:
		return "steady"
	}
}

func perMille(part, whole int) int {
	if whole == 0 {
		return 0
	}
	return part * 1000 / whole
}

func percent(perMille int) string { return fmt.Sprintf("%d%%", (perMille+5)/10) }

// midSentence lowers a label's first letter unless it is a name.
func midSentence(label string) string {
	if _, second, ok := strings.Cut(label, " "); ok {
		if first, _ := utf8.DecodeRuneInString(second); unicode.IsUpper(first) {
			return label
		}
	}
	first, size := utf8.DecodeRuneInString(label)
	return string(unicode.ToLower(first)) + label[size:]
}

// best returns the finding with the highest figure, and whether there is one.
func best(found []finding, figure func(finding) int) (finding, bool) {
	var top finding
	for _, f := range found {
		if figure(f) > 0 && (top.mentions == 0 || figure(f) > figure(top)) {
			top = f
		}
	}
	return top, top.mentions > 0
}

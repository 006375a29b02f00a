package corpus

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// Demo writes the demo corpus: both of demodata's brands, with the last 120 days of their
// interviews up to now and with what was published about them. It is a few
// megabytes, made in memory. The same now gives the same bytes; another now
// gives the same ids at other times.
func Demo(w io.Writer, now time.Time) error {
	now = now.UTC().Truncate(time.Microsecond)
	t, err := loadTexts()
	if err != nil {
		return err
	}
	out := newLineWriter(w)
	for _, b := range t.brands {
		if err := out.writeLines(demoLines(t, b, now)); err != nil {
			return fmt.Errorf("writing the demo of %s: %w", b.Brand.Slug, err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the demo: %w", err)
	}
	return nil
}

// demoLines are one brand's records, whatever is referred to before whatever
// refers to it.
func demoLines(t texts, b brandTexts, now time.Time) []any {
	lines := []any{clientLine{
		Kind: "client", ID: b.Brand.ID, Slug: b.Brand.Slug, Name: b.Brand.Name, Mode: b.Brand.Mode,
		ContractVersion: contractVersion(b.Brand.Mode),
	}}
	for _, c := range b.Campaigns {
		lines = append(lines, campaignLineOf(b.Brand, c, now))
	}
	for _, l := range b.Lanes {
		lines = append(lines, laneLine{
			Kind: "lane", ID: b.Brand.id("lane/" + l.Slug), ClientID: b.Brand.ID,
			Slug: l.Slug, DisplayName: l.Name, Visible: l.Visible,
		})
	}
	made := interviews(t, b, now)
	for _, c := range made {
		lines = append(lines, c.line)
	}
	published := publisher{texts: b, interviews: made, now: now}
	for _, row := range published.rows() {
		lines = append(lines, row)
	}
	bases, bodies := published.bodies()
	for _, basis := range bases {
		lines = append(lines, basis)
	}
	for _, body := range bodies {
		lines = append(lines, body)
	}
	return lines
}

// interviews are a brand's interviews, oldest first.
func interviews(t texts, b brandTexts, now time.Time) []interview {
	s := newGenerator(t, b, now)
	var made []interview
	for _, p := range schedule(b, now) {
		made = append(made, s.interview(p))
	}
	slices.SortStableFunc(made, func(x, y interview) int { return x.at.Compare(y.at) })
	return made
}

func campaignLineOf(b brand, c campaign, now time.Time) campaignLine {
	line := campaignLine{
		Kind: "campaign", ID: b.id("campaign/" + c.Slug), ClientID: b.ID, Slug: c.Slug, DisplayName: ref(c.Name),
		Brief: orNil(c.Brief), Goal: orNil(c.Goal), GoalContext: orNil(c.Context), TargetSegment: orNil(c.Segment),
		Playbook: orNil(c.Playbook), Cadence: orNil(c.Cadence), Active: c.Active, LaunchStatus: ref(c.Status),
	}
	switch {
	case c.LegacyQuestions:
		line.KeyQuestions = c.KeyQuestions
	case len(c.KeyQuestions) > 0:
		questions := make([]keyQuestion, len(c.KeyQuestions))
		for i, q := range c.KeyQuestions {
			questions[i] = keyQuestion{ID: questionID(i), Question: q}
		}
		line.KeyQuestions = questions
	}
	touched := now.Add(-3 * time.Hour)
	if c.LaunchedDays > 0 {
		launched := daylight(newRNG(b.Slug+"/campaign/"+c.Slug), now.AddDate(0, 0, -c.LaunchedDays))
		line.LaunchedAt = ref(stamp(launched))
		line.CreatedAt = ref(stamp(launched.AddDate(0, 0, -9)))
		touched = launched.AddDate(0, 0, c.LaunchedDays-max(c.EndedDays, 2))
	}
	if c.live() {
		line.LastRefreshed = ref(stamp(touched))
	}
	line.UpdatedAt = ref(stamp(touched))
	return line
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

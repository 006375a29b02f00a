package corpus

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// Demo writes the demo corpus: both Brands, with the last 120 days of their
// interviews up to now and with what was published about them. It is a few
// megabytes, made in memory. The same now gives the same bytes; another now
// gives the same ids at other times.
func Demo(w io.Writer, now time.Time) error {
	now = now.UTC().Truncate(time.Microsecond)
	out := &lineWriter{w: w}
	for _, b := range books() {
		for _, line := range demoLines(b, now) {
			text, err := marshal(line)
			if err != nil {
				return fmt.Errorf("writing the demo of %s: %w", b.brand.Slug, err)
			}
			if err := out.end(append(out.next(), text...)); err != nil {
				return fmt.Errorf("writing the demo of %s: %w", b.brand.Slug, err)
			}
		}
	}
	if err := out.flush(); err != nil {
		return fmt.Errorf("writing the demo: %w", err)
	}
	return nil
}

// demoLines are one brand's records, whatever is referred to before whatever
// refers to it.
func demoLines(b book, now time.Time) []any {
	lines := []any{clientLine{
		Kind: "client", ID: b.brand.ID, Slug: b.brand.Slug, Name: b.brand.Name, Mode: b.brand.Mode,
		ContractVersion: b.brand.ContractVersion,
	}}
	for _, c := range b.campaigns {
		lines = append(lines, campaignRecord(b.brand, c, now))
	}
	for _, l := range b.lanes {
		lines = append(lines, laneLine{
			Kind: "lane", ID: b.brand.id("lane/" + l.slug), ClientID: b.brand.ID,
			Slug: l.slug, DisplayName: l.name, Visible: l.visible,
		})
	}
	talks := conversations(b, now)
	for _, c := range talks {
		lines = append(lines, c.line)
	}
	news := newsroom{book: b, talks: talks, now: now}
	for _, row := range news.rows() {
		lines = append(lines, row)
	}
	bases, bodies := news.bodies()
	for _, basis := range bases {
		lines = append(lines, basis)
	}
	for _, body := range bodies {
		lines = append(lines, body)
	}
	return lines
}

// conversations are a brand's interviews, oldest first.
func conversations(b book, now time.Time) []conversation {
	s := newStudio(b, now)
	var talks []conversation
	for _, p := range schedule(b, now) {
		talks = append(talks, s.interview(p))
	}
	slices.SortStableFunc(talks, func(x, y conversation) int { return x.at.Compare(y.at) })
	return talks
}

func campaignRecord(b Brand, c campaignText, now time.Time) campaignLine {
	line := campaignLine{
		Kind: "campaign", ID: b.id("campaign/" + c.slug), ClientID: b.ID, Slug: c.slug, DisplayName: ref(c.name),
		Brief: orNil(c.brief), Goal: orNil(c.goal), GoalContext: orNil(c.context), TargetSegment: orNil(c.segment),
		Playbook: orNil(c.playbook), Cadence: orNil(c.pace), Active: c.active, LaunchStatus: ref(c.status),
	}
	switch {
	case c.legacyQuestions:
		line.KeyQuestions = c.questions
	case len(c.questions) > 0:
		questions := make([]keyQuestion, len(c.questions))
		for i, q := range c.questions {
			questions[i] = keyQuestion{ID: questionID(i), Question: q}
		}
		line.KeyQuestions = questions
	}
	touched := now.Add(-3 * time.Hour)
	if c.launchedDays > 0 {
		launched := daylight(newRNG(b.Slug+"/campaign/"+c.slug), now.AddDate(0, 0, -c.launchedDays))
		line.LaunchedAt = ref(stamp(launched))
		line.CreatedAt = ref(stamp(launched.AddDate(0, 0, -9)))
		touched = launched.AddDate(0, 0, c.launchedDays-max(c.endedDays, 2))
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

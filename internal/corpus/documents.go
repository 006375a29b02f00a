package corpus

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The documents are written from the interviews: every count in them can be
// found again through the interview routes. They name no customer; a quote
// leads back to its interview by id.

func (e edition) home() object {
	found := e.findings(func(theme) bool { return true })
	var lanes []object
	for _, l := range e.book.lanes {
		if !l.visible {
			continue
		}
		lanes = append(lanes, object{
			{"slug", l.slug}, {"display_name", l.name}, {"interviews", len(e.mentioning(l.slug))},
		})
	}
	return object{
		{"headline", e.headline(found)},
		{"summary", e.summary(found)},
		{"window", e.windowDates()},
		{"interviews", e.counts()},
		{"recommendation", recommendation(e.window)},
		{"themes", themeObjects(found, 6, len(e.window))},
		{"lanes", lanes},
		{"recommended_actions", actionObjects(found, 3, len(e.window))},
	}
}

func (e edition) lane(l laneText) object {
	found := e.findings(func(th theme) bool {
		return th.lane == l.slug || !l.visible && th.lane == "retention" // the internal lanes look over the shoulder
	})
	mentioning := e.mentioning(l.slug)
	return object{
		{"headline", e.headline(found)},
		{"summary", e.summary(found)},
		{"lane", object{{"slug", l.slug}, {"display_name", l.name}}},
		{"window", e.windowDates()},
		{"interviews", append(e.counts(), member{"mention_the_lane", len(mentioning)})},
		{"recommendation", recommendation(mentioning)},
		{"themes", themeObjects(found, 5, len(e.window))},
		{"recommended_actions", actionObjects(found, 2, len(e.window))},
	}
}

func (e edition) campaign(c campaignText) object {
	found := e.findings(func(theme) bool { return true })
	var answers []object
	for i, q := range c.questions {
		if i >= len(found) {
			break
		}
		f := found[i]
		answers = append(answers, object{
			{"question_id", questionID(i)},
			{"question", q},
			{"finding", fmt.Sprintf("%d of %d customers bring up %s, %d of them as a complaint.",
				f.mentions, len(e.window), midSentence(f.theme.label), f.negative)},
			{"evidence_count", f.mentions},
			{"quotes", quoteObjects(f.quotes[:min(1, len(f.quotes))])},
		})
	}
	return object{
		{"headline", e.headline(found)},
		{"summary", e.summary(found)},
		{"campaign", object{{"slug", c.slug}, {"display_name", c.name}, {"goal", c.goal}}},
		{"window", e.windowDates()},
		{"interviews", e.counts()},
		{"recommendation", recommendation(e.window)},
		{"answers", answers},
		{"themes", themeObjects(found, 4, len(e.window))},
		{"recommended_actions", actionObjects(found, 2, len(e.window))},
	}
}

// dailyFeed tells one day. The portal's frozen body may name customers, a row's
// document must not.
func (e edition) dailyFeed(day string, named bool) object {
	unhappy := 0
	var entries []object
	talks := slices.Clone(e.scope)
	slices.Reverse(talks)
	for _, c := range talks {
		if band(c) == "detractor" {
			unhappy++
		}
		if len(entries) == 8 {
			continue
		}
		m := c.mentions[0]
		entry := object{
			{"interview_id", c.line.ID},
			{"at", c.at.Format("15:04")},
			{"campaign", e.campaignLabel(c)},
			{"theme", m.theme.key},
			{"valence", valence(m.negative)},
			{"score", band(c)},
			{"quote", *c.line.BestQuote},
		}
		if named {
			entry = append(entry, member{"participant_name", c.line.ParticipantName},
				member{"participant_email", c.line.ParticipantEmail})
		}
		if m.negative {
			entry = append(entry, member{"suggested_reply", m.theme.reply})
		}
		entries = append(entries, entry)
	}
	return object{
		{"headline", feedHeadline(e.scope, unhappy)},
		{"date", day},
		{"interviews", len(e.scope)},
		{"recommendation", recommendation(e.scope)},
		{"entries", entries},
	}
}

func feedHeadline(talks []conversation, unhappy int) string {
	counts := map[string]int{}
	var top theme
	for _, c := range talks {
		th := c.mentions[0].theme
		if counts[th.key]++; counts[th.key] > counts[top.key] {
			top = th
		}
	}
	n := fmt.Sprintf("%d conversations", len(talks))
	if len(talks) == 1 {
		n = "One conversation"
	}
	mood := "nobody unhappy"
	if unhappy > 0 {
		mood = fmt.Sprintf("%d unhappy", unhappy)
	}
	return fmt.Sprintf("%s, %s; %s came up most", n, mood, midSentence(top.label))
}

func (e edition) campaignLabel(c conversation) any {
	if c.campaign < 0 {
		return nil
	}
	return e.book.campaigns[c.campaign].name
}

// playbook turns the complaints that threaten customers most into plays.
func (e edition) playbook() object {
	found := e.findings(func(theme) bool { return true })
	slices.SortStableFunc(found, func(a, b finding) int { return b.highRisk - a.highRisk })
	var plays []object
	for _, f := range found[:min(5, len(found))] {
		plays = append(plays, object{
			{"trigger", "A customer mentions: " + f.theme.complaints[0].pain},
			{"theme", f.theme.key},
			{"say", f.theme.reply},
			{"do", f.theme.actions[0]},
			{"customers_at_high_risk", f.highRisk},
		})
	}
	return object{
		{"title", "Five answers that keep customers"},
		{"window", e.windowDates()},
		{"interviews", e.counts()},
		{"plays", plays},
	}
}

func (e edition) creativeConcept(c concept) object {
	th := e.book.theme(c.theme)
	proof := e.quotesOn(th, false)
	var notes []object
	for i, n := range c.notes {
		notes = append(notes, object{{"id", fmt.Sprintf("n%d", i+1)}, {"note", n}})
	}
	lane := e.book.lane(c.lane)
	return object{
		{"creative_lane", object{{"slug", lane.slug}, {"display_name", lane.name}}},
		{"concept", object{{"title", c.title}, {"hook", c.hook}, {"theme", th.key}, {"theme_label", th.label}}},
		{"annotations", notes},
		{"proof", quoteObjects(proof)},
	}
}

func (e edition) windowDates() object { return object{{"date_from", e.from}, {"date_to", e.to}} }

func (e edition) counts() object {
	return object{{"total", len(e.scope)}, {"in_window", len(e.window)}, {"in_previous_window", len(e.previous)}}
}

func recommendation(talks []conversation) object {
	s := scoresOf(talks)
	return object{
		{"promoters", s.promoters}, {"passives", s.passives}, {"detractors", s.detractors}, {"unknown", s.unknown},
		{"nps", s.nps()},
	}
}

func themeObjects(found []finding, limit, of int) []object {
	objects := []object{}
	for _, f := range found[:min(limit, len(found))] {
		objects = append(objects, object{
			{"key", f.theme.key},
			{"label", f.theme.label},
			{"lane", f.theme.lane},
			{"evidence", object{{"mentions", f.mentions}, {"complaints", f.negative}, {"praise", f.positive}, {"of", of}}},
			{"complaint_share", decimal(f.share)},
			{"previous_complaint_share", decimal(f.previousShare)},
			{"direction", f.direction()},
			{"quotes", quoteObjects(f.quotes)},
		})
	}
	return objects
}

func quoteObjects(talks []conversation) []object {
	objects := []object{}
	for _, c := range talks {
		objects = append(objects, object{
			{"interview_id", c.line.ID}, {"text", *c.line.BestQuote}, {"said_by", band(c)},
		})
	}
	return objects
}

func actionObjects(found []finding, limit, of int) []object {
	worst := slices.Clone(found)
	slices.SortStableFunc(worst, func(a, b finding) int { return b.negative - a.negative })
	objects := []object{}
	for i, f := range worst[:min(limit, len(worst))] {
		because := fmt.Sprintf("%d of %d conversations complain of it", f.negative, of)
		if f.highRisk > 0 {
			because += fmt.Sprintf(", %d of them at high risk of leaving", f.highRisk)
		}
		objects = append(objects, object{
			{"priority", i + 1}, {"action", f.theme.actions[0]}, {"then", f.theme.actions[1]},
			{"theme", f.theme.key}, {"because", because + "."},
		})
	}
	return objects
}

// headline leads with what is getting worse, else with what is worst.
func (e edition) headline(found []finding) string {
	rise, ok := best(found, func(f finding) int {
		if f.direction() != "rising" {
			return 0
		}
		return f.share - f.previousShare
	})
	if ok {
		return fmt.Sprintf("%s: %s of conversations complain, up from %s",
			rise.theme.label, percent(rise.share), percent(rise.previousShare))
	}
	worst, bad := best(found, func(f finding) int { return f.negative })
	loved, good := best(found, func(f finding) int { return f.positive })
	switch {
	case bad && good && worst.theme.key == loved.theme.key:
		return fmt.Sprintf("Customers are divided on %s: %d complaints, %d words of praise",
			midSentence(worst.theme.label), worst.negative, worst.positive)
	case bad && good:
		return fmt.Sprintf("Most complaints are about %s, most praise is for %s",
			midSentence(worst.theme.label), midSentence(loved.theme.label))
	case bad:
		return "Most complaints are about " + midSentence(worst.theme.label)
	case good:
		return "Most praise is for " + midSentence(loved.theme.label)
	default:
		return "Too few conversations for a headline"
	}
}

func (e edition) summary(found []finding) string {
	var b strings.Builder
	now, before := scoresOf(e.window), scoresOf(e.previous)
	fmt.Fprintf(&b, "%d usable conversations from %s to %s. The recommendation score is %d",
		len(e.window), e.from, e.to, now.nps())
	if len(e.previous) > 0 {
		fmt.Fprintf(&b, ", after %d in the %d days before", before.nps(), windowDays)
	}
	b.WriteString(".")
	for _, f := range found[:min(5, len(found))] {
		switch f.direction() {
		case "rising":
			fmt.Fprintf(&b, " Complaints about %s have grown from %s to %s of conversations.",
				midSentence(f.theme.label), percent(f.previousShare), percent(f.share))
		case "falling":
			fmt.Fprintf(&b, " Complaints about %s have fallen from %s to %s.",
				midSentence(f.theme.label), percent(f.previousShare), percent(f.share))
		}
	}
	if loved, ok := best(found, func(f finding) int { return f.positive }); ok {
		fmt.Fprintf(&b, " Most praised: %s (%d mentions).", midSentence(loved.theme.label), loved.positive)
	}
	return b.String()
}

// dayStart is midnight UTC, n days before t's day.
func dayStart(t time.Time, n int) time.Time { return t.Truncate(24*time.Hour).AddDate(0, 0, -n) }

func questionID(i int) string { return fmt.Sprintf("q%d", i+1) }

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

func (e publication) home() object {
	found := e.findings(func(theme) bool { return true })
	var lanes []object
	for _, l := range e.texts.Lanes {
		if !l.Visible {
			continue
		}
		lanes = append(lanes, object{
			{"slug", l.Slug}, {"display_name", l.Name}, {"interviews", len(e.mentioning(l.Slug))},
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

func (e publication) lane(l lane) object {
	found := e.findings(func(th theme) bool {
		return th.Lane == l.Slug || !l.Visible && th.Lane == "retention" // the internal lanes look over the shoulder
	})
	mentioning := e.mentioning(l.Slug)
	return object{
		{"headline", e.headline(found)},
		{"summary", e.summary(found)},
		{"lane", object{{"slug", l.Slug}, {"display_name", l.Name}}},
		{"window", e.windowDates()},
		{"interviews", append(e.counts(), member{"mention_the_lane", len(mentioning)})},
		{"recommendation", recommendation(mentioning)},
		{"themes", themeObjects(found, 5, len(e.window))},
		{"recommended_actions", actionObjects(found, 2, len(e.window))},
	}
}

func (e publication) campaign(c campaign) object {
	found := e.findings(func(theme) bool { return true })
	var answers []object
	for i, q := range c.KeyQuestions {
		if i >= len(found) {
			break
		}
		f := found[i]
		answers = append(answers, object{
			{"question_id", questionID(i)},
			{"question", q},
			{"finding", fmt.Sprintf("%d of %d customers bring up %s, %d of them as a complaint.",
				f.mentions, len(e.window), midSentence(f.theme.Label), f.negative)},
			{"evidence_count", f.mentions},
			{"quotes", quoteObjects(f.quotes[:min(1, len(f.quotes))])},
		})
	}
	return object{
		{"headline", e.headline(found)},
		{"summary", e.summary(found)},
		{"campaign", object{{"slug", c.Slug}, {"display_name", c.Name}, {"goal", c.Goal}}},
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
func (e publication) dailyFeed(day string, named bool) object {
	unhappy := 0
	var entries []object
	interviews := slices.Clone(e.scope)
	slices.Reverse(interviews)
	for _, c := range interviews {
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
			{"theme", m.theme.Key},
			{"valence", valence(m.negative)},
			{"score", band(c)},
			{"quote", *c.line.BestQuote},
		}
		if named {
			entry = append(entry, member{"participant_name", c.line.ParticipantName},
				member{"participant_email", c.line.ParticipantEmail})
		}
		if m.negative {
			entry = append(entry, member{"suggested_reply", m.theme.Reply})
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

func feedHeadline(interviews []interview, unhappy int) string {
	counts := map[string]int{}
	var top theme
	for _, c := range interviews {
		th := c.mentions[0].theme
		if counts[th.Key]++; counts[th.Key] > counts[top.Key] {
			top = th
		}
	}
	n := fmt.Sprintf("%d conversations", len(interviews))
	if len(interviews) == 1 {
		n = "One conversation"
	}
	tone := "nobody unhappy"
	if unhappy > 0 {
		tone = fmt.Sprintf("%d unhappy", unhappy)
	}
	return fmt.Sprintf("%s, %s; %s came up most", n, tone, midSentence(top.Label))
}

func (e publication) campaignLabel(c interview) any {
	if c.campaign < 0 {
		return nil
	}
	return e.texts.Campaigns[c.campaign].Name
}

// playbook turns the complaints that threaten customers most into plays.
func (e publication) playbook() object {
	found := e.findings(func(theme) bool { return true })
	slices.SortStableFunc(found, func(a, b finding) int { return b.highRisk - a.highRisk })
	var plays []object
	for _, f := range found[:min(5, len(found))] {
		plays = append(plays, object{
			{"trigger", "A customer mentions: " + f.theme.Complaints[0].PainPoint},
			{"theme", f.theme.Key},
			{"say", f.theme.Reply},
			{"do", f.theme.Actions[0]},
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

func (e publication) creativeConcept(c concept) object {
	th := e.texts.theme(c.Theme)
	proof := e.quotesOn(th, false)
	var notes []object
	for i, n := range c.Notes {
		notes = append(notes, object{{"id", fmt.Sprintf("n%d", i+1)}, {"note", n}})
	}
	lane := e.texts.lane(c.Lane)
	return object{
		{"creative_lane", object{{"slug", lane.Slug}, {"display_name", lane.Name}}},
		{"concept", object{{"title", c.Title}, {"hook", c.Hook}, {"theme", th.Key}, {"theme_label", th.Label}}},
		{"annotations", notes},
		{"proof", quoteObjects(proof)},
	}
}

func (e publication) windowDates() object { return object{{"date_from", e.from}, {"date_to", e.to}} }

func (e publication) counts() object {
	return object{{"total", len(e.scope)}, {"in_window", len(e.window)}, {"in_previous_window", len(e.previous)}}
}

func recommendation(interviews []interview) object {
	s := scoresOf(interviews)
	return object{
		{"promoters", s.promoters}, {"passives", s.passives}, {"detractors", s.detractors}, {"unknown", s.unknown},
		{"nps", s.nps()},
	}
}

func themeObjects(found []finding, limit, of int) []object {
	objects := []object{}
	for _, f := range found[:min(limit, len(found))] {
		objects = append(objects, object{
			{"key", f.theme.Key},
			{"label", f.theme.Label},
			{"lane", f.theme.Lane},
			{"evidence", object{{"mentions", f.mentions}, {"complaints", f.negative}, {"praise", f.positive}, {"of", of}}},
			{"complaint_share", decimal(f.share)},
			{"previous_complaint_share", decimal(f.previousShare)},
			{"direction", f.direction()},
			{"quotes", quoteObjects(f.quotes)},
		})
	}
	return objects
}

func quoteObjects(interviews []interview) []object {
	objects := []object{}
	for _, c := range interviews {
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
			{"priority", i + 1}, {"action", f.theme.Actions[0]}, {"then", f.theme.Actions[1]},
			{"theme", f.theme.Key}, {"because", because + "."},
		})
	}
	return objects
}

// headline leads with what is getting worse, else with what is worst.
func (e publication) headline(found []finding) string {
	rise, ok := best(found, func(f finding) int {
		if f.direction() != "rising" {
			return 0
		}
		return f.share - f.previousShare
	})
	if ok {
		return fmt.Sprintf("%s: %s of conversations complain, up from %s",
			rise.theme.Label, percent(rise.share), percent(rise.previousShare))
	}
	worst, bad := best(found, func(f finding) int { return f.negative })
	loved, good := best(found, func(f finding) int { return f.positive })
	switch {
	case bad && good && worst.theme.Key == loved.theme.Key:
		return fmt.Sprintf("Customers are divided on %s: %d complaints, %d words of praise",
			midSentence(worst.theme.Label), worst.negative, worst.positive)
	case bad && good:
		return fmt.Sprintf("Most complaints are about %s, most praise is for %s",
			midSentence(worst.theme.Label), midSentence(loved.theme.Label))
	case bad:
		return "Most complaints are about " + midSentence(worst.theme.Label)
	case good:
		return "Most praise is for " + midSentence(loved.theme.Label)
	default:
		return "Too few conversations for a headline"
	}
}

func (e publication) summary(found []finding) string {
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
				midSentence(f.theme.Label), percent(f.previousShare), percent(f.share))
		case "falling":
			fmt.Fprintf(&b, " Complaints about %s have fallen from %s to %s.",
				midSentence(f.theme.Label), percent(f.previousShare), percent(f.share))
		}
	}
	if loved, ok := best(found, func(f finding) int { return f.positive }); ok {
		fmt.Fprintf(&b, " Most praised: %s (%d mentions).", midSentence(loved.theme.Label), loved.positive)
	}
	return b.String()
}

// dayStart is midnight UTC, n days before t's day.
func dayStart(t time.Time, n int) time.Time { return t.Truncate(24*time.Hour).AddDate(0, 0, -n) }

func questionID(i int) string { return fmt.Sprintf("q%d", i+1) }

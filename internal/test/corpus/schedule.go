package corpus

import (
	"strconv"
	"time"
)

// demoDays is how far back the demo's interviews reach.
const demoDays = 120

// gateRule is a rule that makes an interview unusable. Every rule has interviews
// that break it and no other.
type gateRule int

const (
	noRule gateRule = iota
	isTest
	tooShort
	disengaged
	qualityFailed
	qualityPending
	notReportable
	notClientSafe
	inProgress
	scheduled
	abandoned
	campaignNotLive
	gateRules
)

// brokenShare is how many of a brand's interviews break each rule, per mille.
func brokenShare() [gateRules]int {
	return [gateRules]int{
		isTest: 18, tooShort: 26, disengaged: 24, qualityFailed: 20, qualityPending: 14, notReportable: 16,
		notClientSafe: 12, inProgress: 8, scheduled: 12, abandoned: 24, campaignNotLive: 95,
	}
}

// plan is an interview before anybody has said a word.
type plan struct {
	number   int
	at       time.Time
	campaign int // index into the brand's campaigns, -1 for a shared link
	breaks   gateRule
}

// fullDays is how many of the latest days have at least one usable interview,
// so that the daily feed has something to tell.
const fullDays = 24

func schedule(b brandTexts, now time.Time) []plan {
	r := newRNG(b.Brand.Slug + "/schedule")
	broken := assignRules(r, b.Interviews)
	var live, dead []int
	for i, c := range b.Campaigns {
		if c.live() {
			live = append(live, i)
		} else {
			dead = append(dead, i)
		}
	}
	plans := make([]plan, b.Interviews)
	notLive := 0
	for i := range plans {
		p := plan{number: i, breaks: broken[i], campaign: -1}
		if p.breaks == campaignNotLive {
			// Each of them once, then by their weights.
			p.campaign = dead[notLive%len(dead)]
			if notLive >= len(dead) {
				p.campaign = dead[r.weighted(campaignWeights(b, dead))]
			}
			notLive++
		} else if !r.chance(50) {
			p.campaign = live[r.weighted(campaignWeights(b, live))]
		}
		p.at = p.moment(r, b, now)
		plans[i] = p
	}
	return plans
}

// assignRules gives every rule its share, at least two, and never to the
// interviews that fill the latest days.
func assignRules(r *rng, n int) []gateRule {
	broken := make([]gateRule, n)
	next := fullDays
	for f, share := range brokenShare() {
		for range max(2, n*share/1000) {
			if gateRule(f) != noRule {
				broken[next] = gateRule(f)
				next++
			}
		}
	}
	shuffle(r, broken[fullDays:])
	return broken
}

func campaignWeights(b brandTexts, campaigns []int) []int {
	weights := make([]int, len(campaigns))
	for i, c := range campaigns {
		weights[i] = b.Campaigns[c].Weight
	}
	return weights
}

// moment draws when the interview was created: more of them lately than long
// ago, on weekdays, by daylight, within the campaign's life.
func (p plan) moment(r *rng, b brandTexts, now time.Time) time.Time {
	lo, hi := 0, demoDays-1
	if p.campaign >= 0 {
		c := b.Campaigns[p.campaign]
		lo, hi = c.EndedDays, min(hi, c.LaunchedDays)
		if c.LaunchedDays == 0 {
			hi = 25 // drafts are tried out
		}
	}
	age := r.between(lo, hi)
	if r.chance(500) {
		age = min(age, r.between(lo, hi))
	}
	switch {
	case p.number < fullDays:
		age = p.number + 1
	case p.breaks == inProgress:
		return now.Add(-time.Duration(r.between(4*60, 100*60)) * time.Second).Add(microseconds(r))
	case p.breaks == scheduled:
		age = r.between(0, 5)
	}
	at := daylight(r, now.AddDate(0, 0, -age))
	weekend := at.Weekday() == time.Saturday || at.Weekday() == time.Sunday
	if weekend && p.number >= fullDays && age+2 <= hi && r.chance(550) {
		at = at.AddDate(0, 0, -2)
	}
	for at.After(now.Add(-20 * time.Minute)) {
		at = at.AddDate(0, 0, -1)
	}
	return at
}

// daylight moves a day's instant to an hour at which people talk, UTC.
func daylight(r *rng, day time.Time) time.Time {
	hours := []int{7, 8, 9, 10, 10, 11, 12, 12, 13, 14, 15, 16, 17, 17, 18, 18, 18, 19, 19, 20, 20, 21}
	y, m, d := day.Date()
	return time.Date(y, m, d, pick(r, hours), r.below(60), r.below(60), 0, time.UTC).Add(microseconds(r))
}

func microseconds(r *rng) time.Duration { return time.Duration(r.below(1_000_000)) * time.Microsecond }

// ageDays counts full days between the interview and now.
func (p plan) ageDays(now time.Time) int { return int(now.Sub(p.at) / (24 * time.Hour)) }

func (p plan) name() string { return "interview/" + strconv.Itoa(p.number) }

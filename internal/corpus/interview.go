package corpus

import (
	"strconv"
	"time"
)

// mention is a theme that the customer brought up, and what was said.
type mention struct {
	theme    theme
	negative bool
	quote    string
	pain     string
}

// conversation is an interview with what only the generator knows of it.
type conversation struct {
	line     interviewLine
	campaign int
	mentions []mention
	at       time.Time
	usable   bool
	person   person
	language string // "" is English
	rival    string // who was named, or ""
	request  string // what was wished for, or ""
	feedback string // what was said of the product, or ""
}

// studio makes one brand's interviews.
type studio struct {
	book    book
	now     time.Time
	english phrases
	tongues []tongue
	people  map[string][]person
}

func newStudio(b book, now time.Time) *studio {
	return &studio{book: b, now: now, english: english(), tongues: tongues(), people: people()}
}

func (s *studio) interview(p plan) conversation {
	r := newRNG(s.book.brand.Slug + "/" + p.name())
	c := conversation{campaign: p.campaign, at: p.at}
	var campaign *campaignText
	if p.campaign >= 0 {
		campaign = &s.book.campaigns[p.campaign]
	}
	t := s.tongue(r, p)
	if t != nil {
		c.language = t.code
	}
	c.person = pick(r, s.people[c.language])

	m := s.mood(r, p, campaign)
	c.mentions = s.mentions(r, p, campaign, m, t)
	v := newVoice(r, s.book, campaign)
	v.said["first"] = c.person.first
	session := session{
		studio: s, r: r, v: v, plan: p, campaign: campaign, mood: m, score: scoreOf(r, m), scored: !r.chance(40), c: &c,
	}
	if t != nil {
		session.foreign(*t)
	} else {
		session.inEnglish()
	}
	session.fill()
	return c
}

// tongue is nil for English. Whatever breaks the gate is told in English: the
// ways to fail are written in that language only.
func (s *studio) tongue(r *rng, p plan) *tongue {
	if p.fate != passes || !r.chance(150) {
		return nil
	}
	weights := make([]int, len(s.tongues))
	for i, t := range s.tongues {
		weights[i] = t.weight
	}
	return &s.tongues[r.weighted(weights)]
}

// fill writes the record's fields from what was said and from the fate.
func (s *session) fill() {
	r, c, b := s.r, s.c, s.studio.book.brand
	line := &c.line
	*line = interviewLine{
		Kind: "interview", ID: b.id(s.plan.name()), ClientID: b.ID, CreatedAt: stamp(s.plan.at),
		Status: "analyzed", Quality: "passed", Reportable: true, ClientSafe: true,
	}
	kind := "shared_link"
	if s.campaign != nil {
		id := b.id("campaign/" + s.campaign.slug)
		line.CampaignID, kind = &id, s.campaign.kind
	}
	line.InterviewType = &kind
	if r.chance(220) {
		line.Status = "completed"
	}
	if !r.chance(40) {
		line.ParticipantName = ref(c.person.full())
	}
	if !r.chance(80) {
		line.ParticipantEmail = ref(c.person.mailbox + suffix(r) + "@" + pick(r, mailDomains()))
	}
	if !r.chance(250) {
		line.Engagement = ref(pick(r, []string{"engaged", "engaged", "engaged", "partially_engaged"}))
	}
	line.Transcript = s.talk.turns
	line.DurationSeconds = ref(float64(s.talk.tenths) / 10)
	if s.plan.fate == passes && r.chance(20) {
		line.DurationSeconds = nil // some sources do not tell
	}
	s.fillReading()
	s.applyFate()
	c.usable = usable(*line, s.campaign)
}

// fillReading writes what an analyst, or a machine, has read out of the talk.
func (s *session) fillReading() {
	r, line := s.r, &s.c.line
	if s.scored {
		line.NPSScore = ref(float64(s.score) / 10)
	}
	line.Sentiment = ref(sentimentOf(r, s.mood))
	line.ChurnRisk = ref(churnOf(r, s.mood))
	line.BestQuote = ref(s.c.mentions[0].quote)
	if r.chance(25) {
		line.Sentiment = nil
	}
	if r.chance(30) {
		line.ChurnRisk = nil
	}
	line.CustomExtraction = s.extraction()
	line.RawExtraction = s.rawExtraction()
}

// applyFate breaks the one rule that the fate names.
func (s *session) applyFate() {
	p, t, c := s.plan, s.talk, s.c
	line := &c.line
	silence := func(status string) { // quality stays passed: the status alone must keep it out
		line.Status = status
		line.NPSScore, line.Sentiment, line.ChurnRisk, line.BestQuote = nil, nil, nil, nil
		line.CustomExtraction, line.RawExtraction = nil, nil
		c.mentions = nil
	}
	switch p.fate {
	case isTest:
		line.IsTest = true
		line.ParticipantName, line.ParticipantEmail = ref("QA Check"), ref("qa+"+strconv.Itoa(p.number)+"@qa.test")
	case tooShort:
		if t.tenths > 585 {
			for i := range t.turns {
				t.turns[i].AtSeconds = t.turns[i].AtSeconds * 585 / t.tenths
			}
		}
		line.DurationSeconds = ref(float64(min(t.tenths, 585)) / 10)
	case disengaged:
		line.Engagement = ref("disengaged")
	case qualityFailed:
		line.Quality = "failed"
	case qualityPending:
		line.Quality = "pending"
	case notReportable:
		line.Reportable = false
	case notClientSafe:
		line.ClientSafe = false
	case inProgress:
		silence("in_progress")
	case abandoned:
		silence("abandoned")
	case scheduled:
		silence("scheduled")
		line.Transcript, line.DurationSeconds = nil, nil
	}
}

// usable is the gate: an interview that every count of a document includes.
func usable(l interviewLine, campaign *campaignText) bool {
	return (l.Status == "completed" || l.Status == "analyzed") && !l.IsTest &&
		(l.DurationSeconds == nil || *l.DurationSeconds >= 60) &&
		(l.Engagement == nil || *l.Engagement != "disengaged") &&
		l.Quality == "passed" && l.Reportable && l.ClientSafe &&
		(campaign == nil || campaign.live())
}

// suffix keeps namesakes' addresses apart, as mail providers do.
func suffix(r *rng) string {
	if r.chance(600) {
		return ""
	}
	return strconv.Itoa(r.between(2, 99))
}

func ref[T any](v T) *T { return &v }

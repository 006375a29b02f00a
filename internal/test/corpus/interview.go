package corpus

import (
	"strconv"
	"time"

	"github.com/google/uuid"
)

// mention is a theme that the customer brought up, and what was said.
type mention struct {
	theme    theme
	negative bool
	quote    string
	pain     string
}

type interviewLine struct {
	Kind             string      `json:"kind"`
	ID               uuid.UUID   `json:"id"`
	ClientID         uuid.UUID   `json:"client_id"`
	CampaignID       *uuid.UUID  `json:"conversation_goal_id"`
	ParticipantName  *string     `json:"participant_name"`
	ParticipantEmail *string     `json:"participant_email"`
	InterviewType    *string     `json:"interview_type"`
	Status           string      `json:"status"`
	DurationSeconds  *float64    `json:"duration_seconds"`
	NPSScore         *float64    `json:"nps_score"`
	Sentiment        *string     `json:"customer_sentiment"`
	ChurnRisk        *string     `json:"churn_risk"`
	BestQuote        *string     `json:"best_quote"`
	Transcript       []turn      `json:"transcript"`
	CustomExtraction any         `json:"custom_extraction"`
	RawExtraction    *rawReading `json:"raw_extraction"`
	CreatedAt        stamp       `json:"created_at"`
	IsTest           bool        `json:"is_test"`
	Engagement       *string     `json:"engagement"`
	Quality          string      `json:"quality"`
	Reportable       bool        `json:"reportable"`
	ClientSafe       bool        `json:"client_safe"`
}

// interview is a record with what only the generator knows of it.
type interview struct {
	line       interviewLine
	campaign   int
	mentions   []mention
	at         time.Time
	usable     bool
	person     person
	language   string // "" is English
	competitor string // who was named, or ""
	request    string // what was wished for, or ""
	feedback   string // what was said of the product, or ""
}

// generator makes one brand's interviews.
type generator struct {
	texts   brandTexts
	now     time.Time
	english english
	locales []locale
	people  map[string][]person
}

func newGenerator(t texts, b brandTexts, now time.Time) *generator {
	g := &generator{texts: b, now: now, english: t.english, locales: t.locales, people: map[string][]person{"": t.english.Names.all()}}
	for _, l := range t.locales {
		g.people[l.Code] = l.Names.all()
	}
	return g
}

func (g *generator) interview(p plan) interview {
	r := newRNG(g.texts.Brand.Slug + "/" + p.name())
	made := interview{campaign: p.campaign, at: p.at}
	var campaign *campaign
	if p.campaign >= 0 {
		campaign = &g.texts.Campaigns[p.campaign]
	}
	l := g.locale(r, p)
	if l != nil {
		made.language = l.Code
	}
	made.person = pick(r, g.people[made.language])
	felt := g.sentiment(r, p, campaign)
	made.mentions = g.mentions(r, p, campaign, felt, l)
	c := conversation{
		generator: g, wording: newWording(r, g.texts, campaign), plan: p, campaign: campaign,
		sentiment: felt, score: scoreOf(r, felt), scored: !r.chance(40), made: &made,
	}
	c.said["first"] = made.person.First
	if l != nil {
		c.inLocale(*l)
	} else {
		c.inEnglish()
	}
	c.writeLine()
	return made
}

// locale is nil for English. An interview that is not usable is in English: the
// ways to fail are written in that language only.
func (g *generator) locale(r *rng, p plan) *locale {
	if p.breaks != noRule || !r.chance(150) {
		return nil
	}
	weights := make([]int, len(g.locales))
	for i, l := range g.locales {
		weights[i] = l.Weight
	}
	return &g.locales[r.weighted(weights)]
}

// writeLine writes the record's fields.
func (c *conversation) writeLine() {
	r, made, b := c.r, c.made, c.texts.Brand
	line := &made.line
	*line = interviewLine{
		Kind: "interview", ID: b.id(c.plan.name()), ClientID: b.ID, CreatedAt: stamp(c.plan.at),
		Status: "analyzed", Quality: "passed", Reportable: true, ClientSafe: true,
	}
	kind := "shared_link"
	if c.campaign != nil {
		id := b.id("campaign/" + c.campaign.Slug)
		line.CampaignID, kind = &id, c.campaign.InterviewType
	}
	line.InterviewType = &kind
	if r.chance(220) {
		line.Status = "completed"
	}
	if !r.chance(40) {
		line.ParticipantName = ref(made.person.full())
	}
	if !r.chance(80) {
		line.ParticipantEmail = ref(made.person.Mailbox + suffix(r) + "@" + pick(r, mailDomains))
	}
	if !r.chance(250) {
		line.Engagement = ref(pick(r, []string{"engaged", "engaged", "engaged", "partially_engaged"}))
	}
	line.Transcript = c.turns
	line.DurationSeconds = ref(float64(c.tenths) / 10)
	if c.plan.breaks == noRule && r.chance(20) {
		line.DurationSeconds = nil // some sources do not tell
	}
	c.writeAnalysis()
	c.breakRule()
	made.usable = usable(*line, c.campaign)
}

// writeAnalysis writes what an analysis finds in the conversation.
func (c *conversation) writeAnalysis() {
	r, line := c.r, &c.made.line
	if c.scored {
		line.NPSScore = ref(float64(c.score) / 10)
	}
	line.Sentiment = ref(pick(r, draws[c.sentiment].sentiment))
	line.ChurnRisk = ref(pick(r, draws[c.sentiment].churn))
	line.BestQuote = ref(c.made.mentions[0].quote)
	if r.chance(25) {
		line.Sentiment = nil
	}
	if r.chance(30) {
		line.ChurnRisk = nil
	}
	line.CustomExtraction = c.extraction()
	line.RawExtraction = c.rawExtraction()
}

// breakRule breaks the one usable rule that the plan names.
func (c *conversation) breakRule() {
	p, made := c.plan, c.made
	line := &made.line
	unanalyzed := func(status string) { // quality stays passed: the status alone must keep it out
		line.Status = status
		line.NPSScore, line.Sentiment, line.ChurnRisk, line.BestQuote = nil, nil, nil, nil
		line.CustomExtraction, line.RawExtraction = nil, nil
		made.mentions = nil
	}
	switch p.breaks {
	case isTest:
		line.IsTest = true
		line.ParticipantName, line.ParticipantEmail = ref("QA Check"), ref("qa+"+strconv.Itoa(p.number)+"@qa.test")
	case tooShort:
		if c.tenths > 585 {
			for i := range c.turns {
				c.turns[i].AtSeconds = c.turns[i].AtSeconds * 585 / c.tenths
			}
		}
		line.DurationSeconds = ref(float64(min(c.tenths, 585)) / 10)
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
		unanalyzed("in_progress")
	case abandoned:
		unanalyzed("abandoned")
	case scheduled:
		unanalyzed("scheduled")
		line.Transcript, line.DurationSeconds = nil, nil
	}
}

// usable is the usable rule: documents count the interviews that pass it.
func usable(l interviewLine, campaign *campaign) bool {
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

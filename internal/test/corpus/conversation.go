package corpus

import "strings"

// conversation is an interview in the making: its questions and answers.
type conversation struct {
	*generator
	*wording
	plan      plan
	campaign  *campaign
	sentiment sentiment
	score     int  // in tenths
	scored    bool // whether it got as far as the score
	made      *interview
	turns     []turn
	tenths    int // of a second, so far
}

// ask and answer add a turn and its time: about two and a half words a second
// and a breath between the turns.
func (c *conversation) ask(text string) { c.addTurn("interviewer", text) }

func (c *conversation) answer(text string) { c.addTurn("customer", text) }

func (c *conversation) addTurn(role, text string) {
	c.turns = append(c.turns, turn{Role: role, Text: text, AtSeconds: c.tenths / 10})
	words := strings.Count(text, " ") + 1
	c.tenths += words*4 + c.r.between(12, 55)
	if role == "customer" {
		c.tenths += words * c.r.between(1, 4) // people think while they talk
	}
}

// exchange adds one of the questions and one of the answers.
func (c *conversation) exchange(questions, answers []string) {
	c.ask(c.say(questions))
	c.answer(c.say(answers))
}

// chooseProduct picks a product of which the themes' complaints can be true.
func (c *conversation) chooseProduct() {
	needs := -1
	for _, m := range c.made.mentions {
		needs = max(needs, m.theme.Needs.rank())
	}
	var able []product
	for _, p := range c.texts.Products {
		if p.Material.rank() >= needs {
			able = append(able, p)
		}
	}
	chosen := pick(c.r, able)
	c.said["item"], c.said["kind"] = chosen.Name, chosen.Group
	if len(chosen.Parts) > 0 {
		c.slots["part"] = chosen.Parts
	}
}

// sentence is a praise, or a complaint, whose pain point it records.
func (c *conversation) sentence(m *mention, complaints []complaint, praises []string) string {
	if !m.negative {
		return c.say(praises)
	}
	chosen := pick(c.r, complaints)
	m.pain = chosen.PainPoint
	return c.fill(chosen.Text)
}

func (c *conversation) inEnglish() {
	c.chooseProduct()
	for i := range c.made.mentions {
		m := &c.made.mentions[i]
		m.quote = c.addFiller(c.sentence(m, m.theme.Complaints, m.theme.Praises))
	}
	switch c.plan.breaks {
	case tooShort:
		c.endEarly()
	case disengaged:
		c.shrug()
	case isTest:
		c.exchange(c.english.Greeting, c.english.TestCall)
		c.wholeTalk()
	default:
		c.exchange(c.english.Greeting, c.english.Ready)
		c.wholeTalk()
	}
	if c.plan.breaks == abandoned || c.plan.breaks == inProgress {
		c.breakOff()
	}
}

func (c *conversation) wholeTalk() {
	e := c.english
	c.opening()
	for i, m := range c.made.mentions {
		c.mention(i, m)
	}
	switch c.plan.breaks {
	case notReportable:
		c.exchange(e.More, e.NotReportable)
	case notClientSafe:
		c.exchange(e.More, e.NotClientSafe)
	case qualityFailed:
		c.exchange(e.More, e.Garbled)
		c.exchange(e.More, e.Garbled)
	}
	if c.r.chance(420) {
		c.competitors()
	}
	if c.campaign != nil && c.r.chance(700) {
		q := pick(c.r, c.campaign.Questions)
		c.ask(q.Question)
		if c.sentiment == detractor {
			c.answer(c.say(q.Unhappy))
		} else {
			c.answer(c.say(q.Happy))
		}
	}
	c.scores()
	c.requests()
	c.exchange(e.Goodbye, e.Thanks)
}

func (c *conversation) opening() {
	openers, stories := c.english.Openers, c.english.Stories
	if c.campaign != nil {
		openers, stories = c.campaign.Openers, c.campaign.Stories
	}
	c.ask(c.say(openers))
	text := c.say(stories)
	if c.r.chance(550) {
		lines := c.texts.Liked
		if c.sentiment == detractor || c.sentiment == passive && c.r.chance(400) {
			lines = c.texts.Disliked
		}
		c.made.feedback = c.say(lines)
		text += " " + c.made.feedback
	}
	c.answer(text)
}

func (c *conversation) mention(i int, m mention) {
	e := c.english
	if i == 0 {
		c.ask(c.say(e.StandOut))
	} else {
		c.ask(c.say(e.More))
	}
	text := m.quote
	if m.negative && c.r.chance(300) {
		text += " " + c.say(m.theme.Impacts)
	}
	c.answer(text)
	reactions, probes, answers := e.Glad, e.Dig, m.theme.Delights
	if m.negative {
		reactions, probes, answers = e.Sorry, m.theme.Probes, m.theme.Impacts
	}
	c.ask(c.say(reactions) + " " + c.say(probes))
	c.answer(c.addFiller(c.say(answers)))
}

func (c *conversation) competitors() {
	c.ask(c.say(c.english.AskCompetitor))
	switch {
	case c.r.chance(220):
		c.answer(c.say(c.english.NoCompetitor))
		return
	case c.sentiment == promoter || c.sentiment == passive && c.r.chance(500):
		c.answer(c.say(c.texts.CompetitorWorse))
	default:
		c.answer(c.say(c.texts.CompetitorBetter))
	}
	c.made.competitor = c.slot("rival")
}

func (c *conversation) scores() {
	if !c.scored {
		return
	}
	c.ask(c.say(c.english.AskScore))
	c.setScore(c.score, c.r.chance(600))
	c.answer(c.say([][]string{c.english.ScoreLow, c.english.ScoreMiddle, c.english.ScoreHigh}[c.sentiment]))
}

func (c *conversation) requests() {
	c.ask(c.say(c.english.AskChange))
	if c.sentiment == promoter && c.r.chance(450) {
		c.answer(c.say(c.english.ChangeNothing))
		return
	}
	c.made.request = c.fillLower(pick(c.r, c.made.mentions[0].theme.Requests))
	c.said["request"] = c.made.request
	c.answer(c.say(c.english.Change))
}

// endEarly is a conversation of under a minute.
func (c *conversation) endEarly() {
	e, first := c.english, &c.made.mentions[0]
	c.exchange(e.Greeting, e.ShortStart)
	c.ask(c.say(e.StandOut))
	c.answer(first.quote)
	c.exchange(e.More, e.ShortEnd)
	c.made.mentions = c.made.mentions[:1]
}

// shrug is a conversation with a single sentence of substance.
func (c *conversation) shrug() {
	e, first := c.english, &c.made.mentions[0]
	c.exchange(e.Greeting, e.Shrugs)
	c.exchange(e.StandOut, e.Shrugs)
	c.ask(c.say(e.More))
	c.answer(first.quote)
	c.exchange(e.Dig, e.Shrugs)
	c.exchange(e.AskCompetitor, e.Shrugs)
	c.scores()
	c.exchange(e.AskChange, e.Shrugs)
	c.tenths = max(c.tenths, 700)
	c.made.mentions = c.made.mentions[:1]
}

// breakOff keeps the first half of a conversation.
func (c *conversation) breakOff() {
	c.turns = c.turns[:max(3, len(c.turns)/2)]
	last := c.turns[len(c.turns)-1]
	c.tenths = max(700, last.AtSeconds*10+60)
	if last.Role == "interviewer" {
		c.answer(c.say(c.english.BrokenOff))
	}
}

func (c *conversation) inLocale(l locale) {
	c.chooseProduct()
	texts := l.Brands[c.texts.Brand.Slug]
	for i := range c.made.mentions {
		m := &c.made.mentions[i]
		m.quote = c.sentence(m, texts[m.theme.Key].Complaints, texts[m.theme.Key].Praises)
	}
	c.exchange(l.Greeting, l.Ready)
	c.exchange(l.Opening, l.Story)
	for i, m := range c.made.mentions {
		if i == 0 {
			c.ask(c.say(l.StandOut))
		} else {
			c.ask(c.say(l.More))
		}
		c.answer(m.quote)
		if m.negative {
			c.exchange(l.Probe, l.Upset)
		} else {
			c.exchange(l.Probe, l.Pleased)
		}
	}
	if c.scored {
		c.setScore(c.score, false)
		c.exchange(l.AskScore, l.Score)
	}
	c.exchange(l.AskChange, l.Change)
	c.exchange(l.Goodbye, l.Thanks)
	// Interpreted conversations pause for longer; it also keeps them over the minute.
	c.tenths = max(c.tenths*13/10, 900)
}

package corpus

// session is one talk: who asks what, and what the customer makes of it.
type session struct {
	studio   *studio
	r        *rng
	v        *voice
	plan     plan
	campaign *campaignText
	mood     mood
	score    int
	scored   bool // whether the talk got as far as the score
	c        *conversation
	talk     *talk
}

func (s *session) inEnglish() {
	s.talk = &talk{r: s.r}
	s.choosePieces()
	p := s.studio.english
	s.quoteMentions(p)
	switch s.plan.fate {
	case tooShort:
		s.cutShort(p)
	case disengaged:
		s.shrug(p)
	case isTest:
		s.ask(p.greet)
		s.answer(p.testing)
		s.wholeTalk(p)
	default:
		s.wholeTalk(p)
	}
	if s.plan.fate == abandoned || s.plan.fate == inProgress {
		s.breakOff(p)
	}
}

func (s *session) ask(from []string)    { s.talk.ask(s.v.say(from)) }
func (s *session) answer(from []string) { s.talk.answer(s.v.say(from)) }

// choosePieces settles the product, so that it can have what the themes
// complain of.
func (s *session) choosePieces() {
	needs := hard
	for _, m := range s.c.mentions {
		needs = max(needs, m.theme.needs)
	}
	var able []product
	for _, p := range s.studio.book.products {
		if p.made >= needs {
			able = append(able, p)
		}
	}
	chosen := pick(s.r, able)
	s.v.said["item"], s.v.said["kind"] = chosen.name, chosen.kind
	if len(chosen.parts) > 0 {
		s.v.slots["part"] = chosen.parts
	}
}

// quoteMentions settles beforehand what is said on each theme.
func (s *session) quoteMentions(p phrases) {
	for i := range s.c.mentions {
		m := &s.c.mentions[i]
		m.quote = s.v.loosen(s.sentence(m, m.theme.complaints, m.theme.praises), p)
	}
}

// sentence is the praise, or the complaint, whose pain it notes.
func (s *session) sentence(m *mention, complaints []complaint, praises []string) string {
	if !m.negative {
		return s.v.say(praises)
	}
	chosen := pick(s.r, complaints)
	m.pain = chosen.pain
	return s.v.fill(chosen.say)
}

func (s *session) wholeTalk(p phrases) {
	if len(s.talk.turns) == 0 {
		s.ask(p.greet)
		s.answer(p.ready)
	}
	s.opening(p)
	for i, m := range s.c.mentions {
		s.mention(p, i, m)
	}
	switch s.plan.fate {
	case notReportable:
		s.ask(p.more)
		s.answer(p.insider)
	case notClientSafe:
		s.ask(p.more)
		s.answer(p.offLimit)
	case qualityFailed:
		s.ask(p.more)
		s.answer(p.garbled)
		s.ask(p.more)
		s.answer(p.garbled)
	}
	if s.r.chance(420) {
		s.rivals(p)
	}
	if s.campaign != nil && s.r.chance(700) {
		s.quest(pick(s.r, s.campaign.quests))
	}
	s.scores(p)
	s.wishes(p)
	s.ask(p.bye)
	s.answer(p.thanks)
}

func (s *session) opening(p phrases) {
	openers, stories := p.openers, p.stories
	if s.campaign != nil {
		openers, stories = s.campaign.openers, s.campaign.stories
	}
	s.ask(openers)
	text := s.v.say(stories)
	if s.r.chance(550) {
		s.c.feedback = s.v.say(s.productLines())
		text += " " + s.c.feedback
	}
	s.talk.answer(text)
}

// productLines speak of the product as the mood goes; the passive ones have
// both to say.
func (s *session) productLines() []string {
	b := s.studio.book
	if s.mood == detractor || s.mood == passive && s.r.chance(400) {
		return b.disliked
	}
	return b.liked
}

func (s *session) quest(q quest) {
	s.talk.ask(q.ask)
	if s.mood == detractor {
		s.answer(q.low)
		return
	}
	s.answer(q.high)
}

func (s *session) mention(p phrases, i int, m mention) {
	if i == 0 {
		s.ask(p.standOut)
	} else {
		s.ask(p.more)
	}
	text := m.quote
	if m.negative && s.r.chance(300) {
		text += " " + s.v.say(m.theme.impacts)
	}
	s.talk.answer(text)
	if m.negative {
		s.talk.ask(s.v.say(p.sorry) + " " + s.v.say(m.theme.probes))
		s.talk.answer(s.v.loosen(s.v.say(m.theme.impacts), p))
		return
	}
	s.talk.ask(s.v.say(p.glad) + " " + s.v.say(p.dig))
	s.talk.answer(s.v.loosen(s.v.say(m.theme.delights), p))
}

func (s *session) rivals(p phrases) {
	s.ask(p.askRival)
	switch {
	case s.r.chance(220):
		s.answer(p.noRival)
		return
	case s.mood == promoter || s.mood == passive && s.r.chance(500):
		s.answer(s.studio.book.rivalWorse)
	default:
		s.answer(s.studio.book.rivalBetter)
	}
	s.c.rival = s.v.slot("rival")
}

func (s *session) scores(p phrases) {
	if !s.scored {
		return
	}
	s.ask(p.askScore)
	s.v.setScore(s.score, s.r.chance(600))
	switch s.mood {
	case detractor:
		s.answer(p.scoreLow)
	case passive:
		s.answer(p.scoreMid)
	default:
		s.answer(p.scoreHigh)
	}
}

func (s *session) wishes(p phrases) {
	s.ask(p.askChange)
	if s.mood == promoter && s.r.chance(450) {
		s.answer(p.changeNothing)
		return
	}
	s.c.request = s.v.fillLower(pick(s.r, s.c.mentions[0].theme.requests))
	s.v.said["request"] = s.c.request
	s.answer(p.change)
}

func (s *session) cutShort(p phrases) {
	s.ask(p.greet)
	s.answer(p.shortStart)
	s.ask(p.standOut)
	s.talk.answer(s.c.mentions[0].quote)
	s.ask(p.more)
	s.answer(p.shortEnd)
	s.c.mentions = s.c.mentions[:1]
}

// shrug is a talk in which nothing is said but once.
func (s *session) shrug(p phrases) {
	s.ask(p.greet)
	s.answer(p.shrugs)
	s.ask(p.standOut)
	s.answer(p.shrugs)
	s.ask(p.more)
	s.talk.answer(s.c.mentions[0].quote)
	s.ask(p.dig)
	s.answer(p.shrugs)
	s.ask(p.askRival)
	s.answer(p.shrugs)
	s.scores(p)
	s.ask(p.askChange)
	s.answer(p.shrugs)
	s.talk.tenths = max(s.talk.tenths, 700)
	s.c.mentions = s.c.mentions[:1]
}

// breakOff keeps the first half of a talk.
func (s *session) breakOff(p phrases) {
	s.talk.turns = s.talk.turns[:max(3, len(s.talk.turns)/2)]
	last := s.talk.turns[len(s.talk.turns)-1]
	s.talk.tenths = max(700, last.AtSeconds*10+60)
	if last.Role == "interviewer" {
		s.answer(p.breakOff)
	}
}

func (s *session) foreign(t tongue) {
	s.talk = &talk{r: s.r}
	s.choosePieces()
	said := t.spoken[s.studio.book.brand.Slug]
	for i := range s.c.mentions {
		m := &s.c.mentions[i]
		m.quote = s.sentence(m, said[m.theme.key].complaints, said[m.theme.key].praises)
	}
	s.ask(t.greet)
	s.answer(t.ready)
	s.ask(t.open)
	s.answer(t.story)
	for i, m := range s.c.mentions {
		if i == 0 {
			s.ask(t.standOut)
		} else {
			s.ask(t.more)
		}
		s.talk.answer(m.quote)
		s.ask(t.probe)
		if m.negative {
			s.answer(t.upset)
		} else {
			s.answer(t.pleased)
		}
	}
	if s.scored {
		s.ask(t.askScore)
		s.v.setScore(s.score, false)
		s.answer(t.score)
	}
	s.ask(t.askChange)
	s.answer(t.change)
	s.ask(t.bye)
	s.answer(t.thanks)
	// Interpreted talks pause for longer; it also keeps them over the minute.
	s.talk.tenths = max(s.talk.tenths*13/10, 900)
}

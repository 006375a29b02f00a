package corpus

import "strconv"

// rule is a way of not being usable.
type rule int

const (
	ruleNone rule = iota
	ruleTest
	ruleShort
	ruleDisengaged
	ruleQuality
	ruleReportable
	ruleClientSafe
	ruleStatus
	ruleCampaign
	rules
)

func (b *bulk) writeInterviews() error {
	n := b.options.Interviews
	ties := b.options.EqualCreatedAt
	var previous int64
	for i := range n {
		var at int64
		// Bresenham: the shared instant is spread evenly over the file.
		if (i+1)*ties/n > i*ties/n {
			at = b.shared
		} else if at = b.instant(); previous != 0 && b.r.chance(10) {
			at = previous
		} else {
			if at == b.shared {
				at++
			}
			previous = at
		}
		if err := b.writeInterview(i, at); err != nil {
			return err
		}
	}
	b.sum.Interviews = n
	return nil
}

func (b *bulk) writeInterview(i int, at int64) error {
	broken := ruleNone
	if !b.likely(b.usableIn) {
		broken = rule(1 + b.r.below(int(rules)-1))
		if broken == ruleCampaign && len(b.dead) == 0 {
			broken = ruleStatus
		}
	} else {
		b.sum.Usable++
	}
	buf := append(b.out.next(), `{"kind":"interview","id":"`...)
	buf = b.appendID(buf, kindInterview, i)
	buf = append(buf, `","client_id":"`...)
	buf = append(buf, b.clientID...)
	switch {
	case broken == ruleCampaign:
		buf = append(buf, `","conversation_goal_id":"`...)
		buf = append(buf, pick(b.r, b.dead)...)
	case len(b.live) > 0 && !b.r.chance(50):
		buf = append(buf, `","conversation_goal_id":"`...)
		buf = append(buf, pick(b.r, b.live)...)
	}
	buf = b.appendFacts(buf, i, broken)
	buf = append(buf, `,"best_quote":"`...)
	quoteAt := len(buf)
	buf = b.words.appendWords(buf, b.r, 6+b.r.below(10))
	quoteEnd := len(buf)
	buf = append(buf, `","custom_extraction":`...)
	buf = b.appendExtraction(buf, quoteAt, quoteEnd, b.plant(i, broken == ruleNone))
	if b.likely(b.spokenIn) {
		b.sum.Transcripts++
		buf = b.appendTranscript(buf)
	}
	buf = append(buf, `,"created_at":`...)
	buf = appendStamp(buf, at)
	return b.out.end(append(buf, '}'))
}

// appendFacts appends the scalar fields, those of the gate among them; what has
// the import's default is left out.
func (b *bulk) appendFacts(buf []byte, i int, broken rule) []byte {
	r := b.r
	p := b.people[r.below(len(b.people))]
	buf = append(buf, `","participant_name":"`...)
	buf = append(buf, p.first...)
	buf = append(buf, ' ')
	buf = append(buf, p.last...)
	buf = append(buf, `","participant_email":"`...)
	buf = append(buf, p.mailbox...)
	buf = strconv.AppendInt(buf, int64(i), 10)
	buf = append(buf, `@example.com","interview_type":"`...)
	buf = append(buf, [...]string{"onboarding", "post_purchase", "returns", "relationship"}[r.below(4)]...)
	buf = append(buf, `","status":"`...)
	switch {
	case broken == ruleStatus:
		buf = append(buf, [...]string{"in_progress", "scheduled", "abandoned"}[r.below(3)]...)
	case r.chance(300):
		buf = append(buf, "completed"...)
	default:
		buf = append(buf, "analyzed"...)
	}
	buf = append(buf, '"')
	if broken == ruleShort {
		buf = append(buf, `,"duration_seconds":`...)
		buf = strconv.AppendInt(buf, int64(r.below(60)), 10)
	} else if !r.chance(30) {
		buf = append(buf, `,"duration_seconds":`...)
		buf = strconv.AppendInt(buf, int64(60+r.below(1200)), 10)
	}
	buf = b.appendMood(buf)
	if broken == ruleTest {
		buf = append(buf, `,"is_test":true`...)
	}
	switch {
	case broken == ruleDisengaged:
		buf = append(buf, `,"engagement":"disengaged"`...)
	case r.chance(500):
		buf = append(buf, `,"engagement":"engaged"`...)
	}
	switch {
	case broken == ruleQuality && r.chance(500):
		buf = append(buf, `,"quality":"pending"`...)
	case broken == ruleQuality:
		buf = append(buf, `,"quality":"failed"`...)
	default:
		buf = append(buf, `,"quality":"passed"`...)
	}
	if broken != ruleReportable {
		buf = append(buf, `,"reportable":true`...)
	}
	if broken != ruleClientSafe {
		buf = append(buf, `,"client_safe":true`...)
	}
	return buf
}

func (b *bulk) appendMood(buf []byte) []byte {
	score := b.r.below(12) - 1 // -1 is unknown
	if b.r.chance(400) {
		score = 9 + b.r.below(2)
	}
	if score < 0 {
		return buf
	}
	buf = append(buf, `,"nps_score":`...)
	buf = strconv.AppendInt(buf, int64(score), 10)
	switch {
	case score >= 9:
		return append(buf, `,"customer_sentiment":"positive","churn_risk":"low"`...)
	case score >= 7:
		return append(buf, `,"customer_sentiment":"neutral","churn_risk":"medium"`...)
	default:
		return append(buf, `,"customer_sentiment":"negative","churn_risk":"high"`...)
	}
}

// plant returns what this interview's extraction must mention. The rare ones
// are spread over the usable interviews of the whole file.
func (b *bulk) plant(i int, usable bool) string {
	drawn := b.r.below(1000)
	if n := b.options.Interviews; usable {
		due := RareHits*i/n + 1 // one with each eleventh of the file
		switch {
		case b.sum.Rare < due:
			b.sum.Rare++
			return "Zanzibar"
		case b.sum.RarePhrase < due:
			b.sum.RarePhrase++
			return PhraseRare
		}
	}
	switch {
	case drawn < 40:
		return "onboarding"
	case drawn < 60:
		return "cotton_blend"
	case drawn < 65:
		return "cottonxblend"
	case drawn < 80:
		return "100% cotton"
	case drawn < 85:
		return "0 cotton"
	case drawn < 100:
		return "crème brûlée"
	case drawn < 115:
		return "Crème Brûlée"
	default:
		return ""
	}
}

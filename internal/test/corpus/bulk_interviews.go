package corpus

import "strconv"

// usableRules are the rules of which an unusable interview breaks one.
var usableRules = []string{
	"is_test", "duration", "engagement", "quality", "reportable", "client_safe", "status", "campaign",
}

func (b *bulk) writeInterviews() error {
	n, ties := b.options.Interviews, b.options.EqualCreatedAt
	var previous int64
	for i := range n {
		var at int64
		// Bresenham: the shared instant is spread evenly over the file.
		if (i+1)*ties/n > i*ties/n {
			at = b.sharedCreatedAt
		} else if at = b.instant(); previous != 0 && b.r.chance(10) {
			at = previous
		} else {
			if at == b.sharedCreatedAt {
				at++
			}
			previous = at
		}
		if err := b.writeInterview(i, at); err != nil {
			return err
		}
	}
	return nil
}

func (b *bulk) writeInterview(i int, at int64) error {
	broken := ""
	if b.likely(b.usableShare) {
		b.sum.Usable++
	} else if broken = pick(b.r, usableRules); broken == "campaign" && len(b.notLiveCampaigns) == 0 {
		broken = "status"
	}
	b.add(`{"kind":"interview","id":"`, b.id(idOfInterview, i).String(), `","client_id":"`, b.clientID, `"`)
	switch {
	case broken == "campaign":
		b.add(`,"conversation_goal_id":"`, pick(b.r, b.notLiveCampaigns), `"`)
	case len(b.liveCampaigns) > 0 && !b.r.chance(50):
		b.add(`,"conversation_goal_id":"`, pick(b.r, b.liveCampaigns), `"`)
	}
	b.addFacts(i, broken)
	quote := b.text(6 + b.r.below(10))
	b.add(`,"best_quote":"`, quote, `"`)
	b.addExtraction(quote, b.planted(i, broken == ""))
	if b.likely(b.withTranscript) {
		b.sum.Transcripts++
		b.addTranscript()
	}
	b.add(`,"created_at":"`, stampText(at), `"}`)
	return b.endLine()
}

// addFacts adds the scalar fields, those of the usable rule among them; what
// has the import's default is left out.
func (b *bulk) addFacts(i int, broken string) {
	r, person := b.r, pick(b.r, b.people)
	b.add(`,"participant_name":"`, person.full(), `","participant_email":"`, person.Mailbox, strconv.Itoa(i),
		`@example.com","interview_type":"`, pick(r, []string{"onboarding", "post_purchase", "returns", "relationship"}), `"`)
	switch {
	case broken == "status":
		b.add(`,"status":"`, pick(r, []string{"in_progress", "scheduled", "abandoned"}), `"`)
	case r.chance(300):
		b.add(`,"status":"completed"`)
	default:
		b.add(`,"status":"analyzed"`)
	}
	if broken == "duration" {
		b.add(`,"duration_seconds":`, strconv.Itoa(r.below(60)))
	} else if !r.chance(30) {
		b.add(`,"duration_seconds":`, strconv.Itoa(60+r.below(1200)))
	}
	b.addSentiment()
	if broken == "is_test" {
		b.add(`,"is_test":true`)
	}
	if broken == "engagement" {
		b.add(`,"engagement":"disengaged"`)
	} else if r.chance(500) {
		b.add(`,"engagement":"engaged"`)
	}
	switch {
	case broken == "quality" && r.chance(500):
		b.add(`,"quality":"pending"`)
	case broken == "quality":
		b.add(`,"quality":"failed"`)
	default:
		b.add(`,"quality":"passed"`)
	}
	if broken != "reportable" {
		b.add(`,"reportable":true`)
	}
	if broken != "client_safe" {
		b.add(`,"client_safe":true`)
	}
}

func (b *bulk) addSentiment() {
	score := b.r.below(12) - 1 // -1 is unknown
	if b.r.chance(400) {
		score = 9 + b.r.below(2)
	}
	if score < 0 {
		return
	}
	b.add(`,"nps_score":`, strconv.Itoa(score))
	switch {
	case score >= 9:
		b.add(`,"customer_sentiment":"positive","churn_risk":"low"`)
	case score >= 7:
		b.add(`,"customer_sentiment":"neutral","churn_risk":"medium"`)
	default:
		b.add(`,"customer_sentiment":"negative","churn_risk":"high"`)
	}
}

// planted is what this interview's extraction must mention. The rare terms are
// spread over the usable interviews of the whole file.
func (b *bulk) planted(i int, usable bool) string {
	drawn := b.r.below(1000)
	if usable {
		due := RareHits*i/b.options.Interviews + 1 // one with each eleventh of the file
		switch {
		case b.sum.Rare < due:
			b.sum.Rare++
			return "Zanzibar"
		case b.sum.RarePhrase < due:
			b.sum.RarePhrase++
			return PhraseRare
		}
	}
	for _, p := range []struct {
		below int
		text  string
	}{
		{40, "onboarding"}, {60, "cotton_blend"}, {65, "cottonxblend"}, {80, "100% cotton"}, {85, "0 cotton"},
		{100, "crème brûlée"}, {115, "Crème Brûlée"},
	} {
		if drawn < p.below {
			return p.text
		}
	}
	return ""
}

// addExtraction adds five fields, about 446 bytes on average: strings, lists
// and nulls. The planted text goes into one of them.
func (b *bulk) addExtraction(quote, planted string) {
	plantedIn := -1
	if planted != "" {
		plantedIn = b.r.below(5)
	}
	b.add(`,"custom_extraction":{"best_quote":`)
	switch {
	case plantedIn == 0:
		b.addString(9, planted)
	case b.r.chance(50):
		b.add("null")
	default:
		b.add(`"`, quote, `"`)
	}
	for i, field := range []struct {
		name          string
		nullIn, words int
	}{
		{"primary_pain_points", 50, 12}, {"feature_requests", 250, 11}, {"product_feedback", 100, 18},
		{"competitor_mentions", 500, 5},
	} {
		b.add(`,"`, field.name, `":`)
		if i+1 == plantedIn {
			b.addLoose(0, field.words, planted)
		} else {
			b.addLoose(field.nullIn, field.words, "")
		}
	}
	b.add("}")
}

// addLoose adds null, nullIn times of a thousand, unless something is planted,
// a list, or a string of about so many words.
func (b *bulk) addLoose(nullIn, words int, planted string) {
	switch {
	case planted == "" && b.r.chance(nullIn):
		b.add("null")
	case b.r.chance(650):
		b.addString(words, planted)
	default:
		separator := "["
		for range b.r.between(1, 3) {
			b.add(separator)
			b.addString(words/2, planted)
			separator, planted = ",", ""
		}
		b.add("]")
	}
}

func (b *bulk) addString(words int, planted string) {
	b.add(`"`, b.text(words/2+1+b.r.below(words)))
	if planted != "" {
		// The comma keeps a word before it from making the rare phrase longer.
		b.add(", ", planted)
	}
	b.add(`"`)
}

// addTranscript adds 30 turns, 5.7 KB on average, and the raw extraction that
// comes with them.
func (b *bulk) addTranscript() {
	seconds, separator := 0, `,"transcript":[`
	for i := range 30 {
		role, words := "interviewer", 10+b.r.below(12)
		if i%2 == 1 {
			role, words = "customer", 15+b.r.below(24)
		}
		b.add(separator, `{"role":"`, role, `","text":"`, b.text(words), `.","at_seconds":`, strconv.Itoa(seconds), "}")
		separator = ","
		seconds += words/2 + 2
	}
	b.add(`],"raw_extraction":{"schema":"interview_extraction.v4","turns":30,"certainty":0.`,
		strconv.Itoa(100+b.r.below(900)), `0}`)
}

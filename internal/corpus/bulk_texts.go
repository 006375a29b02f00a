package corpus

import "strconv"

// appendExtraction appends five fields, about 446 bytes on average: strings,
// lists and nulls. The planted text goes into one of them. The quote is copied
// from the interview's own.
func (b *bulk) appendExtraction(buf []byte, quoteAt, quoteEnd int, planted string) []byte {
	field := -1
	if planted != "" {
		field = b.r.below(5)
	}
	at := func(n int) string {
		if n == field {
			return planted
		}
		return ""
	}
	buf = append(buf, `{"best_quote":`...)
	switch {
	case field == 0:
		buf = b.appendString(buf, 9, planted)
	case b.r.chance(50):
		buf = append(buf, "null"...)
	default:
		buf = append(buf, '"')
		buf = append(buf, buf[quoteAt:quoteEnd]...)
		buf = append(buf, '"')
	}
	buf = append(buf, `,"primary_pain_points":`...)
	buf = b.appendLoose(buf, 50, 12, at(1))
	buf = append(buf, `,"feature_requests":`...)
	buf = b.appendLoose(buf, 250, 11, at(2))
	buf = append(buf, `,"product_feedback":`...)
	buf = b.appendLoose(buf, 100, 18, at(3))
	buf = append(buf, `,"competitor_mentions":`...)
	buf = b.appendLoose(buf, 500, 5, at(4))
	return append(buf, '}')
}

// appendLoose appends null (nullIn of a thousand, unless something is planted),
// a list, or a string of about so many words.
func (b *bulk) appendLoose(buf []byte, nullIn, words int, planted string) []byte {
	if planted == "" && b.r.chance(nullIn) {
		return append(buf, "null"...)
	}
	if b.r.chance(650) {
		return b.appendString(buf, words, planted)
	}
	buf = append(buf, '[')
	for i := range b.r.between(1, 3) {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = b.appendString(buf, words/2, planted)
		planted = ""
	}
	return append(buf, ']')
}

func (b *bulk) appendString(buf []byte, words int, planted string) []byte {
	buf = append(buf, '"')
	buf = b.words.appendWords(buf, b.r, words/2+1+b.r.below(words))
	if planted != "" {
		// The comma keeps a word before it from making the rare phrase longer.
		buf = append(buf, ", "...)
		buf = append(buf, planted...)
	}
	return append(buf, '"')
}

// appendTranscript appends 30 turns, 5.7 KB on average, and the extractor's
// notes that come with them.
func (b *bulk) appendTranscript(buf []byte) []byte {
	const turns = 30
	seconds := 0
	buf = append(buf, `,"transcript":[`...)
	for i := range turns {
		role, words := `{"role":"interviewer","text":"`, 10+b.r.below(12)
		if i%2 == 1 {
			role, words = `{"role":"customer","text":"`, 15+b.r.below(24)
		}
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, role...)
		buf = b.words.appendWords(buf, b.r, words)
		buf = append(buf, `.","at_seconds":`...)
		buf = strconv.AppendInt(buf, int64(seconds), 10)
		buf = append(buf, '}')
		seconds += words/2 + 2
	}
	buf = append(buf, `],"raw_extraction":{"schema":"interview_extraction.v4","turns":30,"certainty":0.`...)
	buf = strconv.AppendInt(buf, int64(100+b.r.below(900)), 10)
	return append(buf, `0}`...)
}

// appendDocument appends a document of about the given size.
func (b *bulk) appendDocument(buf []byte, size int) []byte {
	start := len(buf)
	buf = append(buf, `{"headline":"`...)
	buf = b.words.appendWords(buf, b.r, 8)
	buf = append(buf, `","summary":"`...)
	buf = b.words.appendWords(buf, b.r, 40)
	buf = append(buf, `","themes":[`...)
	for i := 0; i == 0 || len(buf)-start < size; i++ {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, `{"label":"`...)
		buf = b.words.appendWords(buf, b.r, 2)
		buf = append(buf, `","evidence_count":`...)
		buf = strconv.AppendInt(buf, int64(b.r.below(400)), 10)
		buf = append(buf, `,"share":0.`...)
		buf = strconv.AppendInt(buf, int64(10+b.r.below(90)), 10)
		buf = append(buf, `0,"quotes":["`...)
		buf = b.words.appendWords(buf, b.r, 14)
		buf = append(buf, `","`...)
		buf = b.words.appendWords(buf, b.r, 14)
		buf = append(buf, `"],"action":"`...)
		buf = b.words.appendWords(buf, b.r, 12)
		buf = append(buf, `"}`...)
	}
	return append(buf, `]}`...)
}

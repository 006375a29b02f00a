package corpus

import (
	"bytes"
	"encoding/json"
	"strings"
)

// object is a JSON object whose members keep their order: documents are read
// by people, who want the headline first.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, m := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := marshal(m.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// marshal is encoding/json without its escapes for HTML, which would spell
// Ladle & Lark in a way that no exporter does.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}

// extraction is the client-safe analysis of a conversation. Its fields come as a string,
// as a list or as null, as several generations of extractors left them.
func (c *conversation) extraction() any {
	r, made := c.r, c.made
	if r.chance(12) {
		return nil
	}
	var pains, themes []string
	for _, m := range made.mentions {
		themes = append(themes, m.theme.Key)
		if m.negative {
			pains = append(pains, m.pain)
		}
	}
	var best any = made.mentions[0].quote
	if r.chance(60) {
		best = nil // the interview's own stands in
	}
	language := made.language
	if language == "" {
		language = "en"
	}
	out := object{
		{"best_quote", best},
		{"primary_pain_points", loose(r, pains, 500)},
		{"feature_requests", loose(r, some(made.request), 400)},
		{"product_feedback", orNull(made.feedback)},
		{"competitor_mentions", loose(r, some(made.competitor), 850)},
		{"themes", themes},
		{"language", language},
	}
	if kind := c.said["kind"]; kind != "" && made.language == "" {
		out = append(out, member{"product", c.said["item"]}, member{"product_group", kind})
	}
	for _, t := range c.texts.ExtractionFields {
		out = append(out, member{t.Name, c.extractionField(t)})
	}
	return out
}

func (c *conversation) extractionField(t extractionField) any {
	drawn := pick(c.r, t.Values)
	if c.campaign != nil {
		if fixed, ok := c.campaign.FixedExtraction[t.Name]; ok {
			return fixed
		}
	}
	if told, ok := t.BySlot[c.said[t.Slot]]; ok {
		return told
	}
	return drawn
}

// loose writes a list as a list, perMille of the time, or else as a string;
// nothing as null, and now and then as an empty list.
func loose(r *rng, list []string, perMille int) any {
	switch {
	case len(list) == 0 && r.chance(250):
		return []string{}
	case len(list) == 0:
		return nil
	case r.chance(perMille):
		return list
	default:
		return strings.Join(list, "; ")
	}
}

func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// rawReading is what the extractor kept for itself.
type rawReading struct {
	Schema   string     `json:"schema"`
	Language string     `json:"language"`
	Turns    int        `json:"turns"`
	Customer int        `json:"customer_turns"`
	Topics   []rawTopic `json:"topics"`
	Scores   rawScores  `json:"scores"`
	Flags    []string   `json:"flags"`
}

type rawTopic struct {
	Theme      string      `json:"theme"`
	Valence    string      `json:"valence"`
	Turn       int         `json:"turn"`
	Confidence json.Number `json:"confidence"`
}

type rawScores struct {
	Recommend *json.Number `json:"recommend"`
	Polarity  json.Number  `json:"polarity"`
	Certainty json.Number  `json:"certainty"`
}

func (c *conversation) rawExtraction() *rawReading {
	r, made := c.r, c.made
	if r.chance(60) {
		return nil
	}
	raw := &rawReading{Schema: "interview_extraction.v4", Language: "en", Turns: len(c.turns), Flags: []string{}}
	if made.language != "" {
		raw.Language = made.language
		raw.Flags = append(raw.Flags, "translated")
	}
	for _, turn := range c.turns {
		if turn.Role == "customer" {
			raw.Customer++
		}
	}
	for _, m := range made.mentions {
		topic := rawTopic{Theme: m.theme.Key, Valence: valence(m.negative), Confidence: decimal(r.between(62, 99) * 10)}
		for i, turn := range c.turns {
			if strings.Contains(turn.Text, m.quote) {
				topic.Turn = i
				break
			}
		}
		raw.Topics = append(raw.Topics, topic)
	}
	raw.Scores.Polarity = decimal(max(0, min(1000, c.score*10+r.between(-80, 80))))
	raw.Scores.Certainty = decimal(r.between(700, 999))
	if c.scored {
		raw.Scores.Recommend = ref(decimal(c.score * 10))
	}
	return raw
}

func valence(negative bool) string {
	if negative {
		return "negative"
	}
	return "positive"
}

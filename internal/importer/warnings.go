package importer

import "fmt"

// warnOfCampaign notes what the database can hold and readers of a campaign
// cannot tell apart.
func (d *decoder) warnOfCampaign() {
	of := func(field string) value { return d.values[campaignKind.column([]byte(field))] }
	text := func(v value) string {
		if v.typ != jsonString {
			return ""
		}
		return string(unescaped(v))
	}
	if text(of("slug")) == "uncategorized" {
		d.warn("campaign.slug", `"uncategorized" is what analytics calls interviews without a campaign: the two cannot be told apart`)
	}
	questions := of("key_questions")
	if questions.typ != jsonArray {
		return
	}
	seen := map[string]bool{}
	for n, q := range elements(questions) {
		if q.typ != jsonObject {
			return // a list of strings
		}
		id := text(member(q, "id"))
		if seen[id] {
			d.warn(fmt.Sprintf("campaign.key_questions[%d].id", n), `"`+shorten([]byte(id))+`" is the id of an earlier question of the campaign`)
		}
		seen[id] = true
	}
}

func (d *decoder) warn(field, reason string) {
	if len(d.warnings) < maxLineErrors {
		d.warnings = append(d.warnings, d.record.refuse(field, reason))
	}
}

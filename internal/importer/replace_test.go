package importer

import (
	"strings"
	"testing"
)

const (
	onboarding = "22222222-0000-4000-8000-000000000001"
	someone    = "11111111-0000-4000-8000-000000000001"
	ofCampaign = `,"conversation_goal_id":"` + onboarding + `","reportable":true,"client_safe":true`
)

// onboardingLine is a campaign of Acme's with the given fields.
func onboardingLine(fields string) string {
	return campaign(`,"slug":"onboarding"` + fields)
}

func deleteLine(kind, id string) string {
	return `{"op":"delete","kind":"` + kind + `","client_id":"` + acme + `","id":"` + id + `"}`
}

// A field that is left out becomes null, or false: the record is replaced whole.
func TestAnExistingIDIsReplacedWhole(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	d.mustImport(t,
		interview(`,"best_quote":"new"`),
		onboardingLine(``),
		`{"kind":"lane","id":"55555555-0000-4000-8000-000000000001","client_id":"`+acme+`","slug":"keep","visible":false}`,
		portal(`,"body":{"schema":"home.v2"}`),
	)
	for _, c := range []struct{ expression, from, want string }{
		{"best_quote || coalesce(nps_score::text, ' none') || reportable || coalesce(transcript::text, ' none') || coalesce(campaign_id::text, ' none')",
			"interviews WHERE id = '" + someone + "'", "new nonefalse none none"},
		{"coalesce(launch_status, 'none') || coalesce(key_questions::text, ' none') || live", "campaigns WHERE id = '" + onboarding + "'", "none nonefalse"},
		{"slug || coalesce(display_name, ' none') || visible", "lanes WHERE id = '55555555-0000-4000-8000-000000000001'", "keep nonefalse"},
		{"body::text || coalesce(measurement_snapshot_id::text, ' none') || coalesce(published_at::text, ' none')", "portal_documents", `{"schema": "home.v2"} none none`},
	} {
		d.want(t, c.expression, c.from, c.want)
	}
}

// The last digits of a number are a difference, though jsonb calls them equal.
func TestAnotherSpellingOfANumberIsWritten(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, client(""), interview(`,"custom_extraction":{"n":1.0}`))
	d.mustImport(t, interview(`,"custom_extraction":{"n":1.00}`))
	d.want(t, "custom_extraction", "interviews", `{"n": 1.00}`)
}

// A client line without a mode leaves mode and version as they are.
func TestAClientsModeStaysUnlessSaid(t *testing.T) {
	t.Parallel()
	const v1, v2 = `,"measurement_contract_version":"v1"`, `,"measurement_contract_version":"v2"`
	canonical, legacy := client(`,"measurement_mode":"canonical"`+v1), client(`,"measurement_mode":"legacy"`)
	gone := `{"op":"delete","kind":"client","id":"` + acme + `"}`
	for _, c := range []struct {
		name  string
		lines []string
		want  string
	}{
		{"new", []string{client("")}, "legacy none"},
		{"new with a version", []string{client(v1)}, "legacy v1"},
		{"kept", []string{canonical, client("")}, "canonical v1"},
		{"kept, null version", []string{canonical, client(`,"measurement_contract_version":null`)}, "canonical v1"},
		{"kept, another version", []string{canonical, client(v2)}, "canonical v2"},
		{"back to legacy", []string{canonical, legacy}, "legacy none"},
		{"legacy kept with its version", []string{client(`,"measurement_mode":"legacy"` + v1), client("")}, "legacy v1"},
		{"deleted meanwhile", []string{canonical, gone, client("")}, "legacy none"},
	} {
		d := setup(t)
		for _, line := range c.lines {
			d.mustImport(t, line)
		}
		d.want(t, "measurement_mode || ' ' || coalesce(measurement_contract_version, 'none')", "clients", c.want)
	}
}

// However a campaign's line and its interviews' follow each other, the gate
// sees the liveness that is in force at the end.
func TestInterviewsFollowTheirCampaignsLiveness(t *testing.T) {
	t.Parallel()
	live, ended := onboardingLine(`,"launch_status":"live"`), onboardingLine(`,"launch_status":"ended"`)
	one := interview(ofCampaign)
	gone := deleteLine("campaign", onboarding)
	without := interview(`,"reportable":true,"client_safe":true`)
	for _, c := range []struct {
		name  string
		files [][]string
		want  string
	}{
		{"live before", [][]string{{live, one}}, "1"},
		{"ended before", [][]string{{ended, one}}, "0"},
		{"live after", [][]string{{one, live}}, "1"},
		{"ended after", [][]string{{one, ended}}, "0"},
		{"ends later", [][]string{{live, one}, {ended}}, "0"},
		{"goes live later", [][]string{{ended, one}, {live}}, "1"},
		{"ends between", [][]string{{live, one, ended, one}}, "0"},
		{"interview again, after the campaign ended", [][]string{{live, one}, {one, ended}}, "0"},
		{"deleted and written again, ended", [][]string{{live, one}, {gone, ended}}, "0"},
		{"deleted and written again, live", [][]string{{ended, one}, {one, gone, live}}, "1"},
		{"moves to a campaign that comes after", [][]string{{without}, {one, ended}}, "0"},
		{"moves to a live campaign that comes after", [][]string{{without}, {one, live}}, "1"},
		{"moves from one campaign to another that comes after", [][]string{
			{strings.ReplaceAll(live, "000000000001\",\"client", "000000000009\",\"client"), strings.ReplaceAll(one, onboarding, "22222222-0000-4000-8000-000000000009")},
			{one, strings.Replace(ended, "onboarding", "other", 1)},
		}, "0"},
		{"leaves its campaign", [][]string{{ended, one}, {without, gone}}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := setup(t)
			d.mustImport(t, client(""))
			for _, file := range c.files {
				d.mustImport(t, file...)
			}
			d.want(t, "count(*)", "interviews WHERE usable", c.want)
		})
	}
}

package importer

import (
	"slices"
	"strings"
	"testing"
)

// What is imported although it is likely a mistake is told with its line.
func TestImport_WarnsOfCampaigns(t *testing.T) {
	t.Parallel()
	const uncategorized = `line 1: campaign.slug: "uncategorized" is what analytics calls interviews without a campaign: the two cannot be told apart`
	for _, c := range []struct {
		fields string
		want   []string
	}{
		{`,"slug":"uncategorized","launch_status":"live"`, []string{uncategorized}},
		{`,"slug":"uncategorized","launch_status":"live","active":true`, []string{uncategorized}},
		{`,"slug":"uncategorized","launch_status":"live","active":false`, []string{uncategorized}},
		{`,"slug":"uncategorized","launch_status":"paused"`, []string{uncategorized}},
		{`,"slug":"uncategorised","launch_status":"live"`, nil},
		{`,"slug":"x","key_questions":[{"id":"a","question":"1"},{"id":"b","question":"2"},{"id":"\u0061","question":"3"}]`,
			[]string{`line 1: campaign.key_questions[2].id: "a" is the id of an earlier question of the campaign`}},
		{`,"slug":"x","key_questions":[{"id":"a","question":"1"},{"id":"A","question":"1"}]`, nil},
		{`,"slug":"x","key_questions":["Why?","Why?"]`, nil},
	} {
		d := newDecoder(func(*batch) error { return nil })
		if err := d.file(t.Context(), sourcesOf(strings.NewReader(campaign(c.fields)))); err != nil {
			t.Errorf("%s: %v", c.fields, err)
		}
		var got []string
		for _, w := range d.warnings {
			got = append(got, w.Error())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: warns\n%q\nwant\n%q", c.fields, got, c.want)
		}
	}
	d := setup(t)
	sum := d.mustImport(t, client(""), campaign(`,"slug":"uncategorized","launch_status":"live"`))
	if len(sum.Warnings) != 1 || sum.Warnings[0].Line != 2 {
		t.Errorf("the summary warns of %v, want of line 2", sum.Warnings)
	}
}

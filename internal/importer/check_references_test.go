package importer

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	globexCampaign = "22222222-0000-4000-8000-000000000003"
	globexLane     = "55555555-0000-4000-8000-000000000002"
	nobody         = "cccccccc-0000-4000-8000-000000000001"
)

// Another client's record is as good as none, and the line of the first
// reference is named.
func TestReferencesStayWithinAClient(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	foreign := interview(`,"conversation_goal_id":"` + globexCampaign + `"`)
	second := strings.Replace(foreign, someone, "11111111-0000-4000-8000-000000000077", 1)
	noCampaign := "interview.conversation_goal_id: client " + acme + " has no campaign " + globexCampaign
	d.wantRefusal(t, "line 1: "+noCampaign, foreign)
	d.wantRefusal(t, "line 3: "+noCampaign, client(""), interview(""), foreign, second, client(""))
	d.wantRefusal(t, "line 1: synthesis_document.lane_id: client "+acme+" has no lane "+globexLane,
		strings.Replace(everything[11], retention, globexLane, 1))
	d.wantRefusal(t, "line 1: synthesis_document.conversation_goal_id: client "+acme+" has no campaign "+globexCampaign,
		strings.Replace(everything[11], onboarding, globexCampaign, 1))
	d.wantRefusal(t, "line 1: portal_document.measurement_snapshot_id: client "+acme+" has no measurement_snapshot "+nobody,
		portal(`,"body":{"schema":"home.v1"},"measurement_snapshot_id":"`+nobody+`"`))
	d.wantRefusal(t, "line 2: interview.client_id: there is no client "+nobody, client(""),
		strings.NewReplacer(acme, nobody, someone, "11111111-0000-4000-8000-000000000077").Replace(interview(ofCampaign)))
	d.wantRefusal(t, "line 1: lane.client_id: there is no client "+nobody,
		`{"kind":"lane","id":"`+nobody+`","client_id":"`+nobody+`","slug":"x","visible":true}`)
	// The first of several, whatever their kinds.
	d.wantRefusal(t, "line 1: portal_document.lane_id: client "+acme+" has no lane "+globexLane,
		portal(`,"body":{"schema":"home.v1"},"lane_id":"`+globexLane+`"`), foreign)
	d.wantRefusal(t, "line 1: "+noCampaign, foreign, portal(`,"body":{"schema":"home.v1"},"lane_id":"`+globexLane+`"`))

	// A reference that is gone at the end of the file does no harm.
	d.mustImport(t, foreign, interview(""))
	d.mustImport(t, second, deleteLine("interview", "11111111-0000-4000-8000-000000000077"))
}

func TestSlugsAreUniqueWithinAClient(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	const other = "22222222-0000-4000-8000-000000000044"
	newcomer := strings.Replace(onboardingLine(``), onboarding, other, 1)
	d.wantRefusal(t, `line 2: campaign.slug: "onboarding" is the slug of campaign `+onboarding+` already`, client(""), newcomer)
	d.wantRefusal(t, `line 2: campaign.slug: "onboarding" is the slug of campaign `+other+` already`, newcomer, onboardingLine(`,"launch_status":"live"`))
	d.wantRefusal(t, `line 1: client.slug: "acme" is the slug of client `+acme+` already`, `{"kind":"client","id":"`+nobody+`","slug":"acme","name":"Impostor"}`)
	d.wantRefusal(t, `line 1: lane.slug: "retention" is the slug of lane `+retention+` already`,
		`{"kind":"lane","id":"`+nobody+`","client_id":"`+acme+`","slug":"retention","visible":true}`)
	d.wantRefusal(t, `line 2: lane.slug: "new" is the slug of lane `+nobody+` already`,
		`{"kind":"lane","id":"`+nobody+`","client_id":"`+acme+`","slug":"new","visible":true}`,
		`{"kind":"lane","id":"`+someone+`","client_id":"`+acme+`","slug":"new","visible":true}`,
		strings.Replace(newcomer, "onboarding", "ended", 1))

	// Two swap theirs, and one takes a slug that is freed further down.
	d.mustImport(t, onboardingLine(``), campaign(`,"slug":"x"`))
	d.mustImport(t,
		campaign(`,"slug":"ended"`), strings.Replace(campaign(`,"slug":"x"`), onboarding, "22222222-0000-4000-8000-000000000002", 1))
	d.mustImport(t,
		strings.Replace(newcomer, `"onboarding"`, `"x"`, 1), deleteLine("campaign", "22222222-0000-4000-8000-000000000002"), deleteLine("interview", "11111111-0000-4000-8000-000000000002"))
}

// The line named is the first whose slug a line before it gave, whatever the ids.
func TestTheFirstRepeatedSlugIsNamed(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	id := func(n int) string { return fmt.Sprintf("77777777-0000-4000-8000-%012d", n) }
	lane := func(n int, slug string) string {
		return `{"kind":"lane","client_id":"` + acme + `","id":"` + id(n) + `","slug":"` + slug + `","visible":true}`
	}
	repeated := func(of int) string { return `lane.slug: "same" is the slug of lane ` + id(of) + ` already` }
	for _, ids := range [][]int{{1, 2, 3}, {3, 2, 1}, {2, 3, 1}} {
		d.wantRefusal(t, "line 3: "+repeated(ids[0]), lane(ids[0], "same"), client(""), lane(ids[1], "same"), client(""), lane(ids[2], "same"))
	}
	d.wantRefusal(t, "line 3: "+repeated(8), lane(8, "same"), lane(9, "other"), lane(4, "same"), lane(3, "other"))
	d.wantRefusal(t, "line 4: "+repeated(8), lane(8, "same"), lane(2, "same"), lane(2, "freed"), lane(1, "same"))
	d.wantRefusal(t, `line 2: lane.slug: "retention" is the slug of lane `+retention+` already`, lane(2, "x"), lane(3, "retention"), lane(1, "retention"))
	d.wantRefusal(t, `line 2: client.slug: "same" is the slug of client `+id(2)+` already`,
		`{"kind":"client","id":"`+id(2)+`","slug":"same","name":"A"}`, `{"kind":"client","id":"`+id(3)+`","slug":"same","name":"B"}`,
		`{"kind":"client","id":"`+id(1)+`","slug":"same","name":"C"}`)
}

// Lines with one slug are told apart in a time that grows with their number, not with
// its square, which took more than eight minutes instead of two seconds.
func TestManyLinesWithOneSlugAreRefusedSoon(t *testing.T) {
	t.Parallel()
	d := setup(t)
	var file strings.Builder
	file.WriteString(client("") + "\n")
	for n := range 20_000 {
		fmt.Fprintf(&file, `{"kind":"lane","client_id":"%s","id":"77777777-0000-4000-8000-%012d","slug":"same","visible":true}`+"\n", acme, n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := Import(ctx, d.conn, Options{}, Stream("the input", strings.NewReader(file.String())))
	if err == nil || !strings.HasPrefix(err.Error(), "line 3: lane.slug: ") {
		t.Errorf("got %v", err)
	}
}

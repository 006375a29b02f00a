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
	d.wantRefusal(t, "line 3: "+noCampaign+"\nline 4: "+noCampaign+"\nnothing was imported: 2 bad lines", client(""), interview(""), foreign, second, client(""))
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
	d.wantRefusal(t, `line 1: client.slug: "globex" is the slug of client `+globex+` already`, strings.Replace(client(""), `"acme"`, `"globex"`, 1))
	d.wantRefusal(t, `line 1: client.slug: "acme" is the slug of client `+acme+` already`, `{"kind":"client","id":"`+nobody+`","slug":"acme","name":"Impostor"}`)
	d.wantRefusal(t, `line 1: lane.slug: "retention" is the slug of lane `+retention+` already`,
		`{"kind":"lane","id":"`+nobody+`","client_id":"`+acme+`","slug":"retention","visible":true}`)
	d.wantRefusal(t, `line 2: lane.slug: "new" is the slug of lane `+nobody+` already`,
		`{"kind":"lane","id":"`+nobody+`","client_id":"`+acme+`","slug":"new","visible":true}`,
		`{"kind":"lane","id":"`+someone+`","client_id":"`+acme+`","slug":"new","visible":true}`)

	// Two swap theirs, and one takes a slug that is freed further down.
	d.mustImport(t, onboardingLine(``), campaign(`,"slug":"x"`))
	d.mustImport(t,
		campaign(`,"slug":"ended"`), strings.Replace(campaign(`,"slug":"x"`), onboarding, "22222222-0000-4000-8000-000000000002", 1))
	d.mustImport(t,
		strings.Replace(newcomer, `"onboarding"`, `"x"`, 1), deleteLine("campaign", "22222222-0000-4000-8000-000000000002"), deleteLine("interview", "11111111-0000-4000-8000-000000000002"))
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
	if err == nil || !strings.HasPrefix(withoutRecord(err), "line 3: lane.slug: ") {
		t.Errorf("got %v", err)
	}
}

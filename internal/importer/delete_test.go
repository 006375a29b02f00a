package importer

import (
	"reflect"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

const (
	retention = "55555555-0000-4000-8000-000000000001"
	basis     = "44444444-0000-4000-8000-000000000001"
	body      = "33333333-0000-4000-8000-000000000001"
	synthesis = "66666666-0000-4000-8000-000000000001"
	deleteHer = `{"op":"delete","kind":"client","id":"` + acme + `"}`
)

// Refused at the end of the file, with the line of the delete and a record that
// still refers to it.
func TestWhatIsReferredToStays(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	for _, c := range []struct {
		lines []string
		want  string
	}{
		{[]string{deleteLine("campaign", onboarding)},
			"line 1: campaign.id: " + onboarding + " cannot be deleted: interview " + someone + " still refers to it"},
		{[]string{"", deleteLine("campaign", onboarding), deleteLine("interview", someone)},
			"line 2: campaign.id: " + onboarding + " cannot be deleted: synthesis_document " + synthesis + " still refers to it"},
		{[]string{deleteLine("lane", retention), deleteLine("synthesis_document", synthesis)},
			"line 1: lane.id: " + retention + " cannot be deleted: portal_document " + body + " still refers to it"},
		{[]string{deleteLine("measurement_snapshot", basis)},
			"line 1: measurement_snapshot.snapshot_id: " + basis + " cannot be deleted: portal_document " + body + " still refers to it"},
		{[]string{deleteHer},
			"line 1: client.id: " + acme + " cannot be deleted: campaign " + onboarding + " still refers to it"},
		// A reference that the file itself makes.
		{[]string{deleteLine("campaign", "22222222-0000-4000-8000-000000000002"), deleteLine("interview", "11111111-0000-4000-8000-000000000002"),
			interview(strings.Replace(ofCampaign, onboarding, "22222222-0000-4000-8000-000000000002", 1))},
			"line 3: interview.conversation_goal_id: client " + acme + " has no campaign 22222222-0000-4000-8000-000000000002"},
	} {
		d.wantRefusal(t, c.want, c.lines...)
	}
}

func TestDeletes_RemoveRecords(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	sum := d.mustImport(t,
		// The referrer goes after what it refers to.
		deleteLine("measurement_snapshot", basis), deleteLine("portal_document", body),
		deleteLine("interview", someone), deleteLine("interview", someone), deleteLine("interview", "11111111-0000-4000-8000-000000000099"),
		deleteLine("lane", "99999999-0000-4000-8000-000000000001"),
		`{"op":"delete","kind":"client","id":"cccccccc-0000-4000-8000-000000000001"}`,
	)
	want := []KindSummary{
		{Kind: "client", Missing: 1}, {Kind: "lane", Missing: 1}, {Kind: "interview", Unchanged: 1, Removed: 1, Missing: 1},
		{Kind: "portal_document", Removed: 1}, {Kind: "measurement_snapshot", Removed: 1},
	}
	check.DeepEqual(t, sum.Kinds, want)
	d.want(t, "count(*)", "interviews WHERE id = '"+someone+"'", "0")

	// In the order of the file.
	sum = d.mustImport(t, deleteLine("interview", someone), interview(`,"best_quote":"back"`))
	if want := []KindSummary{{Kind: "interview", Added: 1, Unchanged: 1}}; !reflect.DeepEqual(sum.Kinds, want) {
		t.Errorf("got %+v, want %+v", sum.Kinds, want)
	}
	sum = d.mustImport(t, interview(`,"best_quote":"once more"`), deleteLine("interview", someone), interview(`,"best_quote":"last"`), interview(`,"best_quote":"very last"`), deleteLine("lane", retention[:35]+"7"))
	if want := []KindSummary{{Kind: "lane", Missing: 1}, {Kind: "interview", Changed: 1, Unchanged: 3}}; !reflect.DeepEqual(sum.Kinds, want) {
		t.Errorf("got %+v, want %+v", sum.Kinds, want)
	}
	d.want(t, "best_quote", "interviews WHERE id = '"+someone+"'", "very last")
}

// A deleted record's place is not free for another client.
func TestAnIDBelongsToOneClientForGood(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	reason := func(id, owner string) string {
		return id + " belongs to client " + owner + ", also after it was deleted there, until clients release frees it"
	}
	theirs := strings.ReplaceAll(interview(""), acme, globex)
	d.wantRefusal(t, "line 1: interview.id: "+reason(someone, acme), theirs)
	d.wantRefusal(t, "line 1: interview.id: "+reason(someone, acme), strings.ReplaceAll(deleteLine("interview", someone), acme, globex))
	d.mustImport(t, deleteLine("interview", someone))
	d.wantRefusal(t, "line 2: interview.id: "+reason(someone, acme), "", theirs)
	d.wantRefusal(t, "line 1: lane.id: "+reason(retention, acme),
		`{"kind":"lane","id":"`+retention+`","client_id":"`+globex+`","slug":"x","visible":true}`)
	d.wantRefusal(t, "line 3: measurement_snapshot.snapshot_id: "+reason(basis, acme),
		client(""), client(""), strings.ReplaceAll(everything[len(everything)-1], acme, globex))
	// Kinds are apart, and so is the same id for the same client.
	d.mustImport(t, interview(""), `{"kind":"lane","id":"`+someone+`","client_id":"`+globex+`","slug":"x","visible":true}`)
}

// A client goes when nothing is left of it but revoked keys.
func TestDeletingAClient(t *testing.T) {
	t.Parallel()
	d := setup(t)
	d.mustImport(t, everything...)
	key := func(prefix, revoked string) {
		d.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, expires_at, revoked_at)
			VALUES ($1, gen_random_uuid(), $2, 'test', sha256('x'), '{}', '2020-01-01', now() + $3::interval)`, prefix, acme, revoked)
	}
	key("cik_revoked00000", "-1 hour")
	key("cik_inGrace00000", "1 hour")

	var undo []string
	for _, line := range everything {
		if !strings.Contains(line, globex) && !strings.Contains(line, `"kind":"client"`) {
			undo = append(undo, deletionOf(t, line))
		}
	}
	// The client's own line may come first.
	undo = append([]string{deleteHer}, undo...)
	d.wantRefusal(t, "line 1: client.id: "+acme+" cannot be deleted: the key cik_inGrace00000, which is not revoked, still refers to it", undo...)
	d.Exec(t, "UPDATE api_keys SET revoked_at = now() WHERE prefix = 'cik_inGrace00000'")
	d.mustImport(t, undo...)
	d.want(t, "count(*)", "api_keys WHERE client_id IS NOT NULL", "0")
	d.want(t, "count(*)", "measurement_states", "1")
	// Its ids stay its own, and when it comes back it starts from nothing.
	d.wantRefusal(t, "line 1: interview.id: "+someone+" belongs to client "+acme+", also after it was deleted there, until clients release frees it",
		strings.ReplaceAll(interview(""), acme, globex))
	d.mustImport(t, everything...)
	d.want(t, "sum(members)", "(SELECT members FROM measurement_states UNION ALL SELECT members FROM measurement_changes) AS counted", "2")
}

package measurement_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// tamper runs statements with the count's triggers off, in one transaction, so
// that the catalog never shows it.
func tamper(t *testing.T, d *dbtest.Database, statements string) {
	t.Helper()
	on := ""
	for _, trigger := range []string{"count_inserted_members", "count_updated_members", "count_deleted_members", "check_campaign_of_interview"} {
		on += "ALTER TABLE interviews ENABLE ALWAYS TRIGGER " + trigger + "; "
	}
	// Several statements in one simple query are one transaction.
	d.Exec(t, "ALTER TABLE interviews DISABLE TRIGGER ALL; "+statements+"; ALTER TABLE interviews ENABLE TRIGGER ALL; "+on+
		"ALTER TABLE interviews ENABLE ALWAYS TRIGGER refuse_truncate; "+
		"ALTER TABLE interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_insert; "+
		"ALTER TABLE interviews ENABLE ALWAYS TRIGGER fill_campaign_live_on_update")
}

func maintenanceOf(t *testing.T, d *dbtest.Database) *measurement.Maintenance {
	t.Helper()
	return measurement.NewMaintenance(dbtest.Connect(t, d.OwnerURL))
}

func find(t *testing.T, m *measurement.Maintenance, named string) measurement.Client {
	t.Helper()
	clients, err := m.Clients(context.Background(), named, false)
	require.NoError(t, err, named)
	return clients[0]
}

// The audit finds every change of a client's measurement that the triggers did not
// see, and refuses the client. Other clients are answered. A rebuild corrects it.
func TestMaintenance_AuditFindsAndRebuildCorrects(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change string
		fault  string
		total  string
	}{
		"the count": {
			"UPDATE measurement_states SET members = members + 1", "the state counts 4 members, the facts 3", "3"},
		"a change": {
			"UPDATE measurement_states SET members = members - 2, fingerprint = 7", "the state counts 1 members, the facts 3", "3"},
		"the fingerprint": {
			"UPDATE measurement_states SET fingerprint = fingerprint + 1", "the state counts other members than the facts", "3"},
		"the state": {
			"DELETE FROM measurement_states", "the state is missing", "3"},
		"a row that came uncounted": {
			"INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe) SELECT id, gen_random_uuid(), now(), 'completed', 'passed', true, true FROM clients WHERE slug = 'globex'",
			"the state counts 3 members, the facts 4", "4"},
		"a row that went uncounted": {
			"DELETE FROM interviews WHERE campaign_id IS NOT NULL", "the state counts 3 members, the facts 2", "2"},
		"a row in another's place": {
			"UPDATE interviews SET id = gen_random_uuid() WHERE campaign_id IS NULL", "the state counts other members than the facts", "3"},
		"a row at another moment": {
			"UPDATE interviews SET created_at = created_at + interval '1 microsecond' WHERE campaign_id IS NULL", "the state counts other members than the facts", "3"},
		"a judgement": {
			"UPDATE interviews SET campaign_live = false WHERE campaign_id IS NOT NULL", "1 interviews are not judged as their facts are, ", "3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, seed := apitest.Start(t)
			seed.Client(t, "initech", "canonical")
			for range 2 {
				seed.Interview(t, "globex", nil)
			}
			seed.Interview(t, "globex", apitest.Fields{"campaign_id": seed.Campaign(t, "globex", nil)})
			key, other := srv.KeyFor(t, "globex"), srv.KeyFor(t, "initech")
			tamper(t, srv.Database, "SELECT merge_measurement_changes(); "+c.change+"; "+restoreInitech)

			m := maintenanceOf(t, srv.Database)
			found, err := m.Audit(context.Background(), find(t, m, "globex"))
			if err != nil || found.Fault == nil || !strings.HasPrefix(*found.Fault, c.fault) {
				t.Fatalf("the audit says %s, error %v; want %q", describe(found), err, c.fault)
			}
			if (found.BrokenAt == nil) != (name == "the state") {
				t.Errorf("marked broken at %v", found.BrokenAt)
			}
			srv.Get(t, api+"/interviews", key).WantError(t, 503, "measurement_unavailable", "measurement_unavailable")
			srv.Get(t, api+"/interviews", other).WantStatus(t, 200)
			if a, err := m.Audit(context.Background(), find(t, m, "initech")); err != nil || !a.Consistent() {
				t.Errorf("another client: %s, error %v", describe(a), err)
			}

			rebuilt, err := m.Rebuild(context.Background(), find(t, m, "globex"))
			if err != nil || rebuilt.WasBroken != (name != "the state") || (!rebuilt.Changed && name != "a judgement") {
				t.Fatalf("the rebuild says %+v, error %v", rebuilt, err)
			}
			list := srv.Get(t, api+"/interviews", key).List(t)
			check.Equal(t, string(list.Meta["measurement_total_count"]), c.total, "the total after the rebuild")
			if a, err := m.Audit(context.Background(), find(t, m, "globex")); err != nil || !a.Consistent() {
				t.Errorf("after the rebuild: %s, error %v", describe(a), err)
			}
		})
	}
}

// restoreInitech undoes a change without a WHERE for the client without interviews.
const restoreInitech = `INSERT INTO measurement_states (client_id) SELECT id FROM clients WHERE slug = 'initech'
	ON CONFLICT (client_id) DO UPDATE SET members = 0, fingerprint = 0`

func TestMaintenance_ALegacyClientIsReportedAndNotMarked(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	b := newBrand(t, dbtest.Connect(t, d.OwnerURL), "acme", "legacy")
	d.Exec(t, "UPDATE measurement_states SET members = 1")
	a := audited(t, d, b)
	if a.Fault == nil || a.BrokenAt != nil {
		t.Errorf("fault %s, marked %v; want a fault and no mark", describe(a), a.BrokenAt)
	}
	clients, err := maintenanceOf(t, d).Clients(context.Background(), "", false)
	if err != nil || len(clients) != 0 {
		t.Errorf("without a name %v are audited, error %v; want canonical clients only", clients, err)
	}
}

// Triggers that were off may have missed a write of any client: all are refused until
// each is rebuilt, also after the triggers are on again.
func TestMaintenance_TriggersThatWereOffRefuseEveryClient(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := dbtest.Connect(t, d.OwnerURL)
	one, two := newBrand(t, conn, "one", "canonical"), newBrand(t, conn, "two", "canonical")
	three := newBrand(t, conn, "three", "legacy")
	dbtest.Exec(t, conn, "ALTER TABLE interviews DISABLE TRIGGER count_inserted_members")
	one.members(t, conn, 1)
	two.members(t, conn, 2)
	dbtest.Exec(t, conn, "ALTER TABLE interviews ENABLE TRIGGER count_inserted_members") // as is usual, and not enough

	m := maintenanceOf(t, d)
	_, err := m.Rebuild(context.Background(), find(t, m, "one"))
	check.Error(t, err, "switched off", "a rebuild while the trigger does not fire always")
	audited(t, d, two)
	dbtest.Exec(t, conn, "ALTER TABLE interviews ENABLE ALWAYS TRIGGER count_inserted_members")
	rebuilt, err := m.Rebuild(context.Background(), find(t, m, "one"))
	if err != nil || rebuilt.Corrected != 1 || !rebuilt.WasBroken {
		t.Fatalf("the rebuild says %+v, error %v", rebuilt, err)
	}
	one.members(t, conn, 1)
	wantConsistent(t, d, one, 2)
	if a := audited(t, d, two); a.Fault == nil || a.BrokenAt == nil || *a.BrokenReason != "what keeps the count was switched off" {
		t.Errorf("the other client: %s, marked %v", describe(a), a.BrokenAt)
	}
	if a := audited(t, d, three); a.BrokenAt != nil {
		t.Errorf("a legacy client is marked: %s", *a.BrokenReason)
	}
	_, err = m.Rebuild(context.Background(), find(t, m, "two"))
	require.NoError(t, err)
	wantConsistent(t, d, two, 2)
}

func TestMaintenance_WhatCannotBeRebuiltIsNamed(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := dbtest.Connect(t, d.OwnerURL)
	b := newBrand(t, conn, "acme", "canonical")
	dbtest.Exec(t, conn, insertUsable, b.id, uuid.New(), b.campaign(t, conn, "live"))
	d.Exec(t, "ALTER TABLE campaigns DISABLE TRIGGER ALL; DELETE FROM campaigns; ALTER TABLE campaigns ENABLE TRIGGER ALL; "+
		"ALTER TABLE campaigns ENABLE ALWAYS TRIGGER propagate_campaign_live; ALTER TABLE campaigns ENABLE ALWAYS TRIGGER check_interviews_of_campaign")
	m := maintenanceOf(t, d)
	if a := audited(t, d, b); a.Misjudged != 1 || a.BrokenAt == nil {
		t.Errorf("an interview of a campaign that is gone: %s", describe(a))
	}
	_, err := m.Rebuild(context.Background(), find(t, m, "acme"))
	check.Error(t, err, "Does its campaign exist?", "the rebuild")
	if a := audited(t, d, b); a.BrokenAt == nil {
		t.Error("a rebuild that failed cleared the mark")
	}
}

// What searches read is compared with the interviews, whatever the client's mode: an
// owner's session may have switched the triggers off, written, and switched them on.
func TestMaintenance_SearchDocumentsAreComparedAndCorrected(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"changed":   "UPDATE interviews SET best_quote = 'another'",
		"left over": "DELETE FROM interviews",
		"withdrawn": "UPDATE interviews SET reportable = false",
		"missing":   "DELETE FROM search_documents",
		"moved":     "UPDATE search_documents SET campaign_id = gen_random_uuid()",
	} {
		for _, mode := range []string{"legacy", "canonical"} {
			t.Run(name+" "+mode, func(t *testing.T) {
				t.Parallel()
				d := dbtest.New(t)
				conn := dbtest.Connect(t, d.OwnerURL)
				b, other := newBrand(t, conn, "acme", mode), newBrand(t, conn, "globex", mode)
				dbtest.Exec(t, conn, insertUsable, b.id, uuid.New(), b.campaign(t, conn, "live"))
				if a := audited(t, d, b); !a.Consistent() {
					t.Fatalf("before: %s", describe(a))
				}
				off, on := "", ""
				for _, event := range []string{"insert", "update", "delete"} {
					off += "ALTER TABLE interviews DISABLE TRIGGER maintain_search_documents_on_" + event + "; "
					on += "; ALTER TABLE interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_" + event
				}
				d.Exec(t, off+change+on)
				if a := audited(t, d, b); a.OutdatedSearchDocuments != 1 || a.Consistent() || a.BrokenAt != nil {
					t.Errorf("%d search documents are outdated: %s; want 1, and no mark", a.OutdatedSearchDocuments, describe(a))
				}
				if a := audited(t, d, other); !a.Consistent() {
					t.Errorf("another client: %s", describe(a))
				}
				m := maintenanceOf(t, d)
				if rebuilt, err := m.Rebuild(context.Background(), find(t, m, "acme")); err != nil || rebuilt.CorrectedSearchDocuments != 1 {
					t.Errorf("the rebuild says %+v, error %v", rebuilt, err)
				}
				if a := audited(t, d, b); !a.Consistent() {
					t.Errorf("after the rebuild: %d, %s", a.OutdatedSearchDocuments, describe(a))
				}
			})
		}
	}
}

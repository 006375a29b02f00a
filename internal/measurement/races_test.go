package measurement_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// In replica mode, where no foreign key is checked, what one would refuse is
// refused all the same.
func TestRaces_ReplicaModeKeepsCampaignsAndInterviewsTogether(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := dbtest.Connect(t, d.SuperuserURL)
	b := newBrand(t, conn, "acme", "canonical")
	campaign := b.campaign(t, conn, "live")
	dbtest.Exec(t, conn, insertUsable, b.id, uuid.New(), campaign)
	dbtest.Exec(t, conn, "SET session_replication_role = replica")

	for name, statements := range map[string][]string{
		"a wrong liveness is supplied": {"UPDATE interviews SET campaign_live = false"},
		"the campaign goes away":       {"DELETE FROM campaigns"},
		"the campaign changes its id":  {"UPDATE campaigns SET id = gen_random_uuid()"},
		"a campaign that does not exist": {`INSERT INTO interviews (client_id, id, campaign_id, campaign_live, created_at, status, quality)
			SELECT id, gen_random_uuid(), gen_random_uuid(), true, now(), 'completed', 'passed' FROM clients`},
		"an older snapshot": {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "UPDATE campaigns SET active = false"},
	} {
		err := inTransaction(conn, statements)
		if err == nil {
			t.Errorf("%s: it was let through", name)
		}
		wantConsistent(t, d, b, 1)
	}
	steps := [][]string{
		{
			`INSERT INTO interviews (client_id, id, campaign_id, campaign_live, created_at, status, quality, reportable, client_safe)
				SELECT id, gen_random_uuid(), '22222222-2222-4222-8222-222222222222', false, now(), 'completed', 'passed', true, true FROM clients`,
			`INSERT INTO campaigns (client_id, id, slug, launch_status)
				SELECT id, '22222222-2222-4222-8222-222222222222', 'later', 'draft' FROM clients`,
		},
		{"UPDATE campaigns SET launch_status = 'live'"},
		{
			"DELETE FROM campaigns WHERE slug = 'later'",
			"DELETE FROM interviews WHERE campaign_id = '22222222-2222-4222-8222-222222222222'",
		},
	}
	for i, want := range []int64{1, 2, 1} {
		require.NoError(t, inTransaction(conn, steps[i]), i)
		wantConsistent(t, d, b, want)
	}
}

func inTransaction(conn *pgx.Conn, statements []string) error {
	return pgx.BeginFunc(context.Background(), conn, func(tx pgx.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(context.Background(), s); err != nil {
				return err
			}
		}
		return nil
	})
}

// TRUNCATE empties a table for older snapshots too, whose totals would be wrong.
func TestRaces_TruncateIsRefused(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	admin := dbtest.Connect(t, d.OwnerURL)
	b := newBrand(t, admin, "acme", "canonical")
	b.members(t, admin, 3)
	for _, role := range []string{"origin", "replica"} {
		super := dbtest.Connect(t, d.SuperuserURL)
		dbtest.Exec(t, super, "SET session_replication_role = "+role)
		for _, statement := range []string{"TRUNCATE interviews", "TRUNCATE clients CASCADE"} {
			_, err := super.Exec(t.Context(), statement)
			check.Error(t, err, "interviews cannot be truncated", role, statement)
		}
	}
	wantConsistent(t, d, b, 3)
}

// What is left of a deleted client must not be held against one that comes back.
func TestRaces_AClientMayComeBack(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	admin := dbtest.Connect(t, d.OwnerURL)
	b := newBrand(t, admin, "acme", "canonical")
	b.members(t, admin, 3)
	dbtest.Exec(t, admin, "DELETE FROM interviews")
	dbtest.Exec(t, admin, "DELETE FROM clients")
	if n := value[int](t, admin, "SELECT count(*) FROM measurement_states"); n != 0 {
		t.Fatalf("%d states are left of no clients", n)
	}
	dbtest.Exec(t, admin, `INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		VALUES ($1, $2, 'again', 'canonical', 'canonical_measurement.v1')`, b.id, b.slug)
	b.members(t, admin, 2)
	wantConsistent(t, d, b, 2)
}

// The state of a client that is written in the same transaction as its
// interviews, before or after them, counts them once.
func TestRaces_AClientMayComeAfterItsInterviews(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	conn := dbtest.Connect(t, d.OwnerURL)
	id := uuid.New()
	insertClient := fmt.Sprintf("INSERT INTO clients (id, slug, name) VALUES ('%s', 'late', 'Late')", id)
	interview := fmt.Sprintf(`INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe)
		VALUES ('%s', gen_random_uuid(), now(), 'analyzed', 'passed', true, true)`, id)
	deleteAll := []string{fmt.Sprintf("DELETE FROM interviews WHERE client_id = '%s'", id), fmt.Sprintf("DELETE FROM clients WHERE id = '%s'", id)}
	for _, statements := range [][]string{
		{interview, insertClient, interview},
		slices.Concat(deleteAll, []string{interview, interview, insertClient}),
		slices.Concat([]string{interview}, deleteAll, []string{insertClient, interview, interview}),
	} {
		require.NoError(t, inTransaction(conn, statements), statements)
	}
	wantConsistent(t, d, brand{id: id, slug: "late"}, 2)
}

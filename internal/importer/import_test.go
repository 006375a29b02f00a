package importer

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// database is one of this test's own and the owner's login to it.
type database struct {
	*dbtest.Database
	conn *pgx.Conn
}

func setup(t testing.TB) *database {
	t.Helper()
	d := dbtest.New(t)
	return &database{Database: d, conn: dbtest.Connect(t, d.OwnerURL)}
}

// mustImport imports and then compares the counted membership with the gate.
func (d *database) mustImport(t testing.TB, lines ...string) Summary {
	t.Helper()
	sum, err := Import(t.Context(), d.conn, Options{}, Stream("the input", strings.NewReader(strings.Join(lines, "\n"))))
	require.NoError(t, err)
	d.wantTrueTotals(t)
	return sum
}

// wantRefusal imports what must be refused, and finds the database as it was.
func (d *database) wantRefusal(t testing.TB, want string, lines ...string) {
	t.Helper()
	before := d.dump(t)
	_, err := Import(t.Context(), d.conn, Options{}, Stream("the input", strings.NewReader(strings.Join(lines, "\n"))))
	if err == nil {
		t.Errorf("imported, want %s", want)
		return
	}
	if lines, ok := errors.AsType[LineErrors](err); !ok || len(lines) == 0 {
		t.Errorf("got a %T, want LineErrors: %v", err, err)
	}
	check.Equal(t, withoutRecord(err), want)
	d.wantSame(t, before)
}

var recordOfError = regexp.MustCompile(`(?m)^(` + strings.Join(slices.Concat([]string{"client"}, ReplaceableKinds()), "|") + `)( [0-9a-f-]{36})?( of client [0-9a-f-]{36})?: `)

// withoutRecord is an error's text without the records that it names, which
// TestBadLines_NameTheirRecord is about.
func withoutRecord(err error) string { return recordOfError.ReplaceAllString(err.Error(), "") }

// The total that readers are told is the gate's count after every import, and
// its fingerprint that of the members.
func (d *database) wantTrueTotals(t testing.TB) {
	t.Helper()
	const differing = `WITH told AS (
			SELECT m.client_id, sum(m.members) AS members, sum(m.fingerprint) AS fingerprint
			FROM (
				SELECT client_id, members, fingerprint FROM measurement_states
				UNION ALL
				SELECT client_id, members, fingerprint FROM measurement_changes
			) AS m
			GROUP BY m.client_id
		),

		found AS (
			SELECT i.client_id, count(*) AS members, sum(member_fingerprint(i.id, i.created_at, i.status, i.campaign_id)) AS fingerprint
			FROM interviews AS i
			WHERE i.usable
			GROUP BY i.client_id
		)

		SELECT format('%s: told %s, found %s', coalesce(t.client_id, f.client_id), t.members, f.members)
		FROM told AS t
		FULL JOIN found AS f ON f.client_id = t.client_id
		WHERE coalesce(t.members, 0) <> coalesce(f.members, 0)
			OR coalesce(t.fingerprint, 0) <> coalesce(f.fingerprint, 0)`
	for _, wrong := range d.strings(t, differing) {
		t.Errorf("the counted membership is not the gate's: client %s", wrong)
	}
}

func (d *database) strings(t testing.TB, sql string, args ...any) []string {
	t.Helper()
	rows, err := d.conn.Query(context.Background(), sql, args...)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return found
}

// dump is everything that an import writes, every digit of it.
func (d *database) dump(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, k := range kinds {
		all = append(all, d.strings(t, fmt.Sprintf("SELECT '%[1]s ' || t::text FROM %[1]s AS t", k.table))...)
	}
	all = append(all, d.strings(t, "SELECT format('owner %s %s %s', kind, id, client_id) FROM record_owners")...)
	slices.Sort(all)
	return all
}

// get is one value of one row, as text.
func (d *database) get(t testing.TB, expression, from string) string {
	t.Helper()
	found := d.strings(t, "SELECT coalesce(("+expression+")::text, 'null') FROM "+from)
	if len(found) != 1 {
		t.Fatalf("%s: found %d rows, want 1", from, len(found))
	}
	return found[0]
}

// want compares it.
func (d *database) want(t testing.TB, expression, from, want string) {
	t.Helper()
	check.Equal(t, d.get(t, expression, from), want, expression, from)
}

// wantSame wants that what was refused left nothing behind.
func (d *database) wantSame(t testing.TB, before []string) {
	t.Helper()
	check.Equal(t, difference(before, d.dump(t)), "", "something was left behind")
}

// difference shows the lines that stand in one of two sorted lists.
func difference(want, got []string) string {
	var out strings.Builder
	for _, line := range want {
		if _, found := slices.BinarySearch(got, line); !found {
			fmt.Fprintf(&out, "- %s\n", line)
		}
	}
	for _, line := range got {
		if _, found := slices.BinarySearch(want, line); !found {
			fmt.Fprintf(&out, "+ %s\n", line)
		}
	}
	return out.String()
}

package postgres_test

import (
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/distributed"
)

// A reference is to a row of the same client or to the client itself, so that it
// never leads to another machine.
func TestSharding_EveryReferenceStaysWithItsClient(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), `
		SELECT f.conname, r.relname, array_agg(own.attname ORDER BY k.place), array_agg(other.attname ORDER BY k.place)
		FROM pg_constraint AS f
		JOIN pg_class AS r ON r.oid = f.confrelid
		CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (own, other, place)
		JOIN pg_attribute AS own ON own.attrelid = f.conrelid AND own.attnum = k.own
		JOIN pg_attribute AS other ON other.attrelid = f.confrelid AND other.attnum = k.other
		WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace
		GROUP BY f.conname, r.relname`)
	require.NoError(t, err)
	var name, to string
	var own, other []string
	checked := 0
	if _, err := pgx.ForEachRow(rows, []any{&name, &to, &own, &other}, func() error {
		checked++
		target := "client_id"
		if to == "clients" {
			target = "id"
		}
		place := slices.Index(own, "client_id")
		if place < 0 || other[place] != target {
			t.Errorf("%s: %v refers to %v of %s, and may lead to another client", name, own, other, to)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if checked < 10 {
		t.Errorf("only %d references were checked", checked)
	}
}

// onCoordinator are the tables of clients' rows that are not distributed. Those that are
// no client's stay too.
var onCoordinator = map[string]string{
	"admissions":            "empty: the type of a function's rows",
	"request_log":           "admission is one transaction on one machine",
	"key_usage":             "written beside the log",
	"usage_sums":            "written beside the log",
	"key_audits":            "written with the key",
	"revoked_keys":          "written with the key",
	"suppressed_interviews": "read beside the register of ids",
}

// A new table is distributed, or stays on the coordinator for a reason. One that was
// forgotten stays too, and its queries then join two machines.
func TestDistribute_EveryTableHasItsPlace(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), `SELECT c.relname::text FROM pg_class AS c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`)
	require.NoError(t, err)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	list := regexp.MustCompile(`(?s)FOREACH owned IN ARRAY ARRAY\[(.*?)\]`).FindStringSubmatch(distributed.Distribute)
	if list == nil {
		t.Fatal("distribute.sql has no list of tables")
	}
	for _, table := range tables {
		_, noClients := notTenant[table]
		_, stays := onCoordinator[table]
		if listed := strings.Contains(list[1], "'"+table+"'"); listed == (noClients || stays) {
			t.Errorf("%s: listed in distribute.sql: %t; stays on the coordinator for a reason: %t", table, listed, noClients || stays)
		}
	}
}

// Without Citus nothing is distributed, and the refusal says what is missing.
func TestDistribute_IsRefusedWithoutCitus(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	_, err := postgres.Distribute(t.Context(), d.OwnerURL, slog.New(slog.DiscardHandler))
	check.Error(t, err, "the extension citus is not in this database", "refused with")
}

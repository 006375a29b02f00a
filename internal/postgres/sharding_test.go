package postgres_test

import (
	"cmp"
	"io/fs"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/sql/distributed"
	"github.com/clientintel/clientintel/sql/migrations"
)

// A key without the client's id cannot be unique over several machines.
func TestSharding_EveryKeyHoldsTheClient(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), `
		SELECT c.relname, i.relname, array_agg(a.attname ORDER BY k.place) FILTER (WHERE k.place <= x.indnkeyatts)
		FROM pg_index AS x
		JOIN pg_class AS c ON c.oid = x.indrelid
		JOIN pg_class AS i ON i.oid = x.indexrelid
		CROSS JOIN LATERAL unnest(x.indkey) WITH ORDINALITY AS k (number, place)
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number
		WHERE c.relnamespace = 'public'::regnamespace AND (x.indisunique OR x.indisexclusion)
		GROUP BY c.relname, i.relname`)
	if err != nil {
		t.Fatal(err)
	}
	var table, index string
	var columns []string
	checked := 0
	if _, err := pgx.ForEachRow(rows, []any{&table, &index, &columns}, func() error {
		if _, excused := notTenant[table]; excused {
			return nil
		}
		checked++
		if !slices.Contains(columns, "client_id") {
			t.Errorf("%s: %s is unique over %v, without the client", table, index, columns)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if checked < 10 {
		t.Errorf("only %d keys were checked", checked)
	}
}

// A reference is to a row of the same client or to the client itself, so that it
// never leads to another machine.
func TestSharding_EveryReferenceStaysWithItsClient(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), `
		SELECT f.conname, r.relname, array_agg(own.attname ORDER BY k.place), array_agg(other.attname ORDER BY k.place)
		FROM pg_constraint AS f
		JOIN pg_class AS r ON r.oid = f.confrelid
		CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS k (own, other, place)
		JOIN pg_attribute AS own ON own.attrelid = f.conrelid AND own.attnum = k.own
		JOIN pg_attribute AS other ON other.attrelid = f.confrelid AND other.attnum = k.other
		WHERE f.contype = 'f' AND f.connamespace = 'public'::regnamespace
		GROUP BY f.conname, r.relname`)
	if err != nil {
		t.Fatal(err)
	}
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
	"usage_days":            "written beside the log",
	"key_audits":            "written with the key",
	"revoked_keys":          "written with the key",
	"suppressed_interviews": "read beside the register of ids",
}

// A new table is distributed, or stays on the coordinator for a reason. One that was
// forgotten stays too, and its queries then join two machines.
func TestDistribute_EveryTableHasItsPlace(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.New(t).OwnerURL)
	rows, err := conn.Query(t.Context(), `SELECT c.relname::text FROM pg_class AS c
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := postgres.Distribute(t.Context(), d.OwnerURL, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "the extension citus is not in this database") {
		t.Errorf("refused with %v", err)
	}
}

// What distributing replaces still has the parameters and columns that migrations give
// it: a change of one would otherwise leave two functions of a name, or fail there.
func TestDistribute_ReplacesWhatMigrationsMake(t *testing.T) {
	t.Parallel()
	// The administrator may name settings of an extension that is not there.
	conn := connect(t, dbtest.New(t).SuperuserURL)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exec := func(sql string) {
		t.Helper()
		if _, err := tx.Exec(t.Context(), sql, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Fatalf("%.200s: %v", sql, err)
		}
	}
	exec("SET LOCAL check_function_bodies = off")
	replacement := regexp.MustCompile(`(?s)CREATE OR REPLACE (?:FUNCTION.*?\n\$\$|VIEW [^;]*);\n`)
	made := replacement.FindAllString(distributed.Distribute, -1)
	for _, statement := range made {
		exec(statement)
	}
	var twice []string
	if err := tx.QueryRow(t.Context(), `SELECT coalesce(array_agg(n.proname::text), '{}') FROM (
			SELECT p.proname FROM pg_proc AS p WHERE p.pronamespace = 'public'::regnamespace
				AND NOT EXISTS (SELECT 1 FROM pg_depend AS d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
			GROUP BY p.proname HAVING count(*) > 1
		) AS n`).Scan(&twice); err != nil {
		t.Fatal(err)
	}
	if len(made) < 10 || len(twice) > 0 {
		t.Errorf("%d functions and views are replaced; of these there are two then: %v", len(made), twice)
	}
}

// The search by trigrams is the migration's, but for the two places that say why: a
// migration that replaces it must not leave this one behind.
func TestDistribute_SearchIsTheMigrations(t *testing.T) {
	t.Parallel()
	made := regexp.MustCompile(`(?s)FUNCTION find_search_documents\(.*?\n\$\$;\n`)
	files, err := fs.Glob(migrations.Files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, name := range files {
		text, err := migrations.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want = cmp.Or(made.FindString(string(text)), want) // the last one's
	}
	want = regexp.MustCompile(`(?s)        -- The table as it lies.*?END IF;\n`).ReplaceAllString(want, "")
	want = strings.Replace(want, "WHERE d.indexed\n", "WHERE d.indexed\n                AND d.client_id = client\n", 1)
	if got := made.FindString(distributed.Distribute); got != want || want == "" {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

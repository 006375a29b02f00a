package ratelimit_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/clientintel/clientintel/internal/dbtest"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/sql/migrations"
)

// What a database released earlier had counted still counts, and its keys go on
// with the next number.
func TestMigration_TheWindowSurvives(t *testing.T) {
	t.Parallel()
	database := dbtest.NewEmpty(t)
	config, err := pgx.ParseConfig(database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	earlier, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := earlier.UpTo(t.Context(), 21); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, database.OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "old", client: &client})
	// Outcomes went along once.
	const before, now = "'1 hour', '0', '{}', '{}', '{}', '{}', '{}'", "'1 hour', '0'"
	rest := before
	for n := range 8 {
		if n == 3 {
			rest = now
			if _, err := postgres.Migrate(t.Context(), database.OwnerURL); err != nil {
				t.Fatal(err)
			}
		}
		var verdict string
		var seq, remaining int
		if err := conn.QueryRow(t.Context(), `SELECT a.verdict, coalesce(a.seq, 0), a.remaining
			FROM admit('{old}', $1, '{r}', 5, `+rest+`) AS a`,
			[][]byte{secret[:]}).Scan(&verdict, &seq, &remaining); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("admitted, row %d, remaining %d", n+1, 5-n)
		if n >= 5 {
			want = "limited, row 0, remaining 0"
		}
		if got := fmt.Sprintf("%s, row %d, remaining %d", verdict, seq, remaining); got != want {
			t.Errorf("request %d: %s, want %s", n+1, got, want)
		}
	}
	if _, err := earlier.DownTo(t.Context(), 21); err != nil {
		t.Fatal(err)
	}
	var verdict string
	if err := conn.QueryRow(t.Context(), "SELECT a.verdict FROM admit('{old}', $1, '{r}', 6, "+before+") AS a",
		[][]byte{secret[:]}).Scan(&verdict); err != nil || verdict != "admitted" {
		t.Errorf("after going back, the sixth of six is %q (%v), want admitted", verdict, err)
	}
}

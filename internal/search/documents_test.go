package search_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// amiss counts the documents that are not as the interviews say, and the
// interviews without a document.
const amiss = `
	WITH wanted AS (
		SELECT client_id, id, campaign_id, created_at, searched_text(custom_extraction, best_quote) AS folded
		FROM interviews WHERE usable
	),
	there AS (SELECT client_id, id, campaign_id, created_at, folded FROM search_documents)
	SELECT (SELECT count(*) FROM (TABLE wanted EXCEPT ALL TABLE there) AS missing)
		+ (SELECT count(*) FROM (TABLE there EXCEPT ALL TABLE wanted) AS left_over)`

func wantTrue(t *testing.T, conn *pgx.Conn, after string) {
	t.Helper()
	var n int
	require.NoError(t, conn.QueryRow(context.Background(), amiss).Scan(&n))
	if n != 0 {
		t.Fatalf("after %s: %d documents are not as the interviews say", after, n)
	}
}

// pick is a condition that some interviews meet.
func pick(random *rand.Rand) string {
	return fmt.Sprintf("uuid_hash(id) %% 7 = %d", random.IntN(7))
}

// changes are statements that touch interviews in every way.
func changes(random *rand.Rand, client, other auth.Caller) []string {
	return []string{
		"UPDATE interviews SET best_quote = 'Another QUOTE' WHERE " + pick(random),
		`UPDATE interviews SET custom_extraction = '{"feature_requests": ["Ä", 1, "b"]}' WHERE ` + pick(random),
		"UPDATE interviews SET custom_extraction = NULL, best_quote = NULL WHERE " + pick(random),
		"UPDATE interviews SET created_at = created_at + interval '1 hour' WHERE " + pick(random),
		"UPDATE interviews SET nps_score = 3 WHERE " + pick(random),
		"UPDATE interviews SET is_test = NOT is_test WHERE " + pick(random),
		"UPDATE interviews SET quality = 'failed' WHERE " + pick(random),
		"UPDATE interviews SET quality = 'passed', is_test = false WHERE true",
		"UPDATE interviews SET campaign_id = NULL, campaign_live = NULL WHERE " + pick(random),
		"UPDATE interviews SET id = gen_random_uuid() WHERE " + pick(random),
		fmt.Sprintf("UPDATE interviews SET client_id = '%s' WHERE campaign_id IS NULL AND client_id = '%s' AND %s", other.ClientID, client.ClientID, pick(random)),
		"UPDATE campaigns SET launch_status = CASE launch_status WHEN 'live' THEN 'ended' ELSE 'live' END WHERE slug = 'spring'",
		"UPDATE campaigns SET active = NOT coalesce(active, true) WHERE slug = 'winter'",
		"DELETE FROM interviews WHERE " + pick(random),
		`INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, is_test, best_quote)
			SELECT client_id, gen_random_uuid(), created_at, 'completed', 'passed', true, true, n = 1, 'Copied'
			FROM interviews, generate_series(1, 2) AS n WHERE ` + pick(random),
		`INSERT INTO interviews (client_id, id, created_at, status, quality, best_quote)
			SELECT client_id, id, created_at, 'completed', 'passed', 'Written over' FROM interviews WHERE ` + pick(random) +
			` ON CONFLICT (client_id, id) DO UPDATE SET best_quote = excluded.best_quote`,
		"SELECT index_search_documents(0, 3, 5)",
	}
}

// Whatever is written, what is searched is what is usable, in the
// writer's own transaction: also with replication's triggers only.
func TestDocuments_FollowEveryWrite(t *testing.T) {
	t.Parallel()
	for _, role := range []string{"origin", "replica"} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			database := dbtest.New(t)
			conn := dbtest.Connect(t, database.SuperuserURL)
			random := rand.New(rand.NewPCG(31, 32))
			client, other := addClient(t, conn, "acme", "legacy"), addClient(t, conn, "globex", "canonical")
			corpus(t, conn, client, random, 40)
			corpus(t, conn, other, random, 30)
			wantTrue(t, conn, "the first inserts")
			dbtest.Exec(t, conn, "SET session_replication_role = "+role)
			for range 12 {
				all := changes(random, client, other)
				for _, at := range random.Perm(len(all)) {
					dbtest.Exec(t, conn, all[at])
					wantTrue(t, conn, all[at])
				}
			}
			var left int
			if err := conn.QueryRow(context.Background(), "SELECT count(*) FROM search_documents").Scan(&left); err != nil || left == 0 {
				t.Errorf("%d documents are left to compare (%v): the test has lost its grip", left, err)
			}
		})
	}
}

// A document is written again only when it changed, and then it leaves the
// index: its trigrams cost more than all the rest.
func TestDocuments_WhatStaysTheSameIsNotWrittenAgain(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	client := addClient(t, conn, "acme", "legacy")
	quote := "As it was"
	add(t, conn, client, said{id: uuid.New(), at: time.Now(), quote: &quote}, nil)
	index(t, conn, 0)
	place := func() (place string, indexed bool) {
		require.NoError(t, conn.QueryRow(context.Background(), "SELECT ctid::text, indexed FROM search_documents").Scan(&place, &indexed))
		return place, indexed
	}
	before, indexed := place()
	if !indexed {
		t.Fatal("the document is not in the index")
	}
	dbtest.Exec(t, conn, "UPDATE interviews SET nps_score = 1, transcript = '[]', best_quote = 'AS IT WAS'")
	if after, indexed := place(); after != before || !indexed {
		t.Errorf("the document moved from %s to %s, in the index: %v", before, after, indexed)
	}
	dbtest.Exec(t, conn, "UPDATE interviews SET best_quote = 'As it is'")
	if after, indexed := place(); after == before || indexed {
		t.Errorf("the changed document stayed at %s, in the index: %v", after, indexed)
	}
}

// Only what large clients have beyond the newest is indexed, a part at a time.
func TestIndex_TakesTheOldestOfLargeClients(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	large, small := addClient(t, conn, "large", "legacy"), addClient(t, conn, "small", "legacy")
	for client, n := range map[uuid.UUID]int{large.ClientID: 30, small.ClientID: 10} {
		dbtest.Exec(t, conn, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe)
			SELECT $1, gen_random_uuid(), timestamptz '2026-03-01' + n * interval '1 minute', 'completed', 'passed', true, true
			FROM generate_series(1, $2::integer) AS n`, client, n)
	}
	for _, want := range []int{8, 8, 4, 0} {
		n, err := search.Index(context.Background(), conn, 10, 10, 8)
		if err != nil || n != want {
			t.Fatalf("%d documents were indexed (%v), want %d", n, err, want)
		}
	}
	var wrong int
	if err := conn.QueryRow(context.Background(), `SELECT count(*) FROM search_documents
		WHERE indexed <> (client_id = $1 AND created_at <= timestamptz '2026-03-01 00:20')`, large.ClientID).Scan(&wrong); err != nil || wrong != 0 {
		t.Errorf("%d documents are on the wrong side (%v)", wrong, err)
	}
}

// The server's own maintenance works with what the server's role may do, from its
// start on, and ends when it is told to.
func TestKeepIndexed_WorksOffASurplus(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	client := addClient(t, conn, "acme", "legacy")
	dbtest.Exec(t, conn, `INSERT INTO interviews (client_id, id, created_at, status, quality, reportable, client_safe, best_quote)
		SELECT $1, gen_random_uuid(), timestamptz '2026-03-01' + n * interval '1 minute', 'completed', 'passed', true, true, 'A quote'
		FROM generate_series(1, 5100) AS n`, client.ClientID)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan struct{})
	go func() {
		search.KeepIndexed(ctx, openPool(t, database.OwnerURL), limitsOf(5000), slog.New(slog.DiscardHandler))
		close(ended)
	}()
	waitUntil(t, conn, "SELECT count(*) = 100 FROM search_documents WHERE indexed")
	stop()
	<-ended
}

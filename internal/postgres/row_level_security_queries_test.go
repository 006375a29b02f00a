package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// Row-level security alone keeps clients apart: without its client's condition, every
// query returns the same rows to the server as with it. To the owner, which row-level
// security does not hold back here, it returns more: so the condition did something.
func TestRowLevelSecurity_HoldsWithoutTheClientsCondition(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	twins := newTwinClients(t, d)
	owner, server := connect(t, d.OwnerURL), connect(t, d.ServerURL)
	takeServerRole(t, server)
	unknown := uuid.MustParse("99999999-9999-4999-8999-999999999999")

	removed := 0
	for _, q := range readQueries(t) {
		switch q.name {
		case "AuditNextMeasurement": // it returns durations of whichever client is due, and no rows of its own
			continue
		case "BeginRead": // it sets the client
			continue
		}
		args := twins.arguments(q)
		with := func(client uuid.UUID) pgx.NamedArgs {
			args["client_id"] = client
			return args
		}
		of := func(conn *pgx.Conn, set *uuid.UUID, sql string, client uuid.UUID) []string {
			return answerOf(t, conn, set, sql, with(client))
		}
		whole := of(server, &twins.acme, q.text, twins.acme)
		wantNothingOf(t, q.name, "globex", whole)
		nothing := of(server, &twins.acme, q.text, unknown)
		same := func(what string, got, want []string) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s: returns to the server\n%q\nwant\n%q", q.name, what, got, want)
			}
		}
		same("no client set", of(server, nil, q.text, twins.acme), nothing)
		same("asked for another client", of(server, &twins.acme, q.text, twins.globex), nothing)

		unconditional := clientCondition.ReplaceAllString(q.text, "($0 OR true)")
		if unconditional == q.text {
			continue // has none; what it is called with was tried above
		}
		removed++
		same("without its condition", of(server, &twins.acme, unconditional, twins.acme), whole)
		same("without its condition, no client set", of(server, nil, unconditional, twins.acme), nothing)
		if refused := whole[0] == "error 42501"; refused {
			continue // the server may not run it at all
		}
		if slices.Equal(of(owner, &twins.acme, unconditional, twins.acme), whole) {
			t.Errorf("%s: without its condition it returns to the owner no more than with it: the test proves nothing; give newTwinClients a row that it finds", q.name)
		}
	}
	if removed < 20 {
		t.Errorf("only %d queries had a condition to remove", removed)
	}
}

var (
	clientCondition = regexp.MustCompile(`\w+\.\w+ = @client_id\b(::uuid)?`)
	parameter       = regexp.MustCompile(`@(\w+)`)
	optional        = regexp.MustCompile(`sqlc\.n?arg\((\w+)\)`)
)

type namedQuery struct{ name, text string }

// readQueries are all of sql/queries, their parameters as pgx names them.
func readQueries(t *testing.T) []namedQuery {
	t.Helper()
	files, err := filepath.Glob("../../sql/queries/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no queries: %v", err)
	}
	var all []namedQuery
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(content)
		marks := queryName.FindAllStringSubmatchIndex(text, -1)
		for i, m := range marks {
			end := len(text)
			if i+1 < len(marks) {
				end = marks[i+1][0]
			}
			sql := regexp.MustCompile(`(?m)^--.*\n`).ReplaceAllString(text[m[1]:end], "")
			all = append(all, namedQuery{text[m[2]:m[3]], optional.ReplaceAllString(sql, "@$1")})
		}
	}
	return all
}

// twinClients are two clients whose records have all the same ids, slugs and times.
// Every text of the second names it.
type twinClients struct {
	acme, globex, shared uuid.UUID
}

func newTwinClients(t *testing.T, d *dbtest.Database) twinClients {
	t.Helper()
	w := twinClients{
		acme: uuid.MustParse("11111111-1111-4111-8111-111111111111"), globex: uuid.MustParse("22222222-2222-4222-8222-222222222222"),
		shared: uuid.MustParse("33333333-3333-4333-8333-333333333333"),
	}
	conn := connect(t, d.OwnerURL)
	for client, name := range map[uuid.UUID]string{w.acme: "acme", w.globex: "globex"} {
		for _, statement := range []string{
			`INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
				VALUES (@client, @name, @name, 'canonical', 'canonical_measurement.v1')`,
			`INSERT INTO campaigns (client_id, id, slug, display_name, launch_status, active, created_at, updated_at)
				VALUES (@client, @id, 'same', @name, 'live', true, @at, @at)`,
			`INSERT INTO lanes (client_id, id, slug, display_name, visible) VALUES (@client, @id, 'same', @name, true)`,
			`INSERT INTO interviews (client_id, id, campaign_id, created_at, status, quality, reportable, client_safe,
					best_quote, participant_email, custom_extraction)
				VALUES (@client, @id, @id, @at, 'completed', 'passed', true, true,
					@name || ' quote', @name, jsonb_build_object('product_feedback', @name::text))`,
			`INSERT INTO search_documents (client_id, id, created_at, folded) VALUES (@client, gen_random_uuid(), @at, 'of no interview')`,
			`INSERT INTO measurement_snapshots (client_id, id, as_of, measurement_contract_version, scope_hash, membership_hash,
					source_interview_ids, source_count)
				VALUES (@client, @id, @at, @name, repeat('0', 64), repeat('0', 64), '{}', 0)`,
			`INSERT INTO synthesis_documents (client_id, id, synthesis_type, lane_id, campaign_id, document, contract_version, status,
					feed_date, last_refreshed, created_at, updated_at)
				VALUES (@client, @id, 'daily_feed', @id, @id, '{}', @name, 'published', @at::timestamptz::date, @at, @at, @at)`,
			`INSERT INTO portal_documents (client_id, id, type, lane_id, campaign_id, feed_date, body, status, published_at, measurement_snapshot_id)
				SELECT @client, v.id, v.type, @id, @id, @at::timestamptz::date, jsonb_build_object('of', @name::text), 'published', @at, @id
				FROM (VALUES (@id, 'daily_feed'), (gen_random_uuid(), 'lane'), (gen_random_uuid(), 'campaign')) AS v (id, type)`,
		} {
			if _, err := conn.Exec(t.Context(), statement, pgx.NamedArgs{
				"client": client, "name": name, "id": w.shared, "at": time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
			}); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	return w
}

// arguments are values under which a query finds the twins' rows. A parameter of another
// type than text needs one here.
func (w twinClients) arguments(q namedQuery) pgx.NamedArgs {
	first, last := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	values := map[string]any{
		"after_created_at": last, "after_refreshed_key": last, "after_updated_at": last, "after_feed_key": last,
		"after_published_key": last, "after_id": uuid.Max,
		"from_created_at": first, "until_created_at": last, "first_day": first, "last_day": last,
		"updated_since": first, "max_rows": 1000, "max_hits": 1000, "milliseconds": "1000",
		"id": w.shared, "campaign_id": w.shared, "lane_id": w.shared, "document_ids": []uuid.UUID{w.shared},
		"slug": "same", "campaign": "same", "query": "quote", "named": "globex", "every_mode": false,
		"status": "completed", "launch_status": "", "synthesis_type": "daily_feed", "type": "daily_feed", "name": "cursor",
		"of_days": false, "with_identity": true, "with_transcripts": true,
		"with_raw_extraction": true, "with_custom_extraction": true,
		"time_window": time.Hour, "grace": time.Hour, "expiring": time.Hour, "except_id": w.shared, "unit": "day", "from_hour": first, "until_hour": last,
		"in_force": true, "from_at": first, "until_at": last, "before_id": 1,
		"caller_address": nil, "only_revoked": true, "prefix": "aaaaaaaaaaaa", "secret_hash": make([]byte, 32),
		"key_id": w.shared, "action": "issue", "account": "root@host", "detail": "text", "scopes": []string{"read:campaigns"}, "expires_at": last, "client_id": w.acme,
		// A group of no requests: an admission's row has the clock.
		"prefixes": []string{}, "secret_hashes": [][]byte{}, "routes": []string{}, "max_requests": 1, "clock_shift": time.Duration(0),
		"keys": []uuid.UUID{}, "hours": []time.Time{}, "statuses": []int16{}, "requests": []int64{},
		"kind": "interview", "client_ids": []uuid.UUID{w.acme}, "ids": []uuid.UUID{w.shared},
		"campaigns": []uuid.UUID{w.globex},
		"texts":     []string{"text"}, "scan_limit": 0, "keep_outside": 0, "max_documents": 10, "contract_version": "canonical_measurement.v1",
	}
	args := pgx.NamedArgs{}
	for _, found := range parameter.FindAllStringSubmatch(q.text, -1) {
		value, known := values[found[1]]
		if !known {
			value = "" // a text that filters nothing
		}
		args[found[1]] = value
	}
	return args
}

// answerOf runs a statement in a transaction of its own, with a client set or
// none, and undoes it. Rows come as sorted texts; a refusal is its SQLSTATE.
func answerOf(t *testing.T, conn *pgx.Conn, set *uuid.UUID, sql string, args pgx.NamedArgs) []string {
	t.Helper()
	ctx := context.Background()
	tx, err := conn.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if set != nil {
		if _, err := tx.Exec(ctx, "SELECT set_config('clientintel.client_id', $1, true)", set.String()); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	found := []string{}
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		found = append(found, fmt.Sprint(values...))
	}
	if err := rows.Err(); err != nil {
		if codeOf(err) == "" {
			t.Fatalf("%s: %v", sql, err)
		}
		return []string{"error " + codeOf(err)}
	}
	slices.Sort(found)
	return append([]string{fmt.Sprintf("%d rows", len(found))}, found...)
}

func wantNothingOf(t *testing.T, query, name string, rows []string) {
	t.Helper()
	for _, row := range rows {
		if strings.Contains(row, name) {
			t.Errorf("%s: returns %q, which is %s's", query, row, name)
		}
	}
}

func codeOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

func takeServerRole(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), "SET ROLE clientintel_server"); err != nil {
		t.Fatal(err)
	}
}

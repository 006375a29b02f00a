package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// readsManyClients are the queries whose answers depend on more clients than @client_id.
var readsManyClients = map[string]string{
	"IndexSearchDocuments": "indexes the documents of every large client",
	"ListClients":          "the operator lists what every client has",
	"FindClient":           "the operator names the client",
	"ListMeasuredClients":  "the operator may list all clients",
	"ListClientsByID":      "the operator lists all clients",
}

// keysAlone are the queries that go through a client's keys, whose ids are unique: without
// one of their other conditions they return no more, as no other client has the key.
var keysAlone = []string{"ListKeysOfClient", "SumUsage", "ListAuditsOfClient", "FindRepeat"}

// Each query names its client in every part: to the owner, whom row-level security does not
// hold back, it answers as in a database that has no other client, and without its conditions
// it answers more.
func TestQueries_AreLedByTheirClient(t *testing.T) {
	t.Parallel()
	both, alone := dbtest.New(t), dbtest.New(t)
	twins := newTwinClients(t, both, "acme", "globex")
	newTwinClients(t, alone, "acme")
	last := time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
	positions := [][2]time.Time{{last, last}, {twinsAt, last}, {twinsAt, twinsAt}}
	owner, lone := dbtest.Connect(t, both.OwnerURL), dbtest.Connect(t, alone.OwnerURL)
	for _, q := range readQueries(t) {
		if q.name == "BeginRead" { // it sets the client
			continue
		}
		answers := func(conn *pgx.Conn, sql string) (all []string) {
			for _, from := range positions { // the ranges of a list
				args := twins.arguments(q)
				for i, names := range [][]string{{"after_feed_key", "after_refreshed_key", "after_created_at"}, {"after_published_key", "after_updated_at"}} {
					for _, name := range names {
						args[name] = from[i]
					}
				}
				if from != positions[0] {
					args["after_id"] = uuid.Nil
				}
				all = append(all, answerOf(t, conn, &twins.acme, sql, args)...)
			}
			return all
		}
		want := answers(lone, q.text)
		_, many := readsManyClients[q.name]
		if got := answers(owner, q.text); slices.Equal(got, want) == many {
			t.Errorf("%s: returns beside another client\n%q\nand alone\n%q", q.name, got, want)
		}
		for _, at := range clientCondition.FindAllStringIndex(q.text, -1) {
			unconditional := q.text[:at[0]] + "true" + q.text[at[1]:]
			if !many && !slices.Contains(keysAlone, q.name) && slices.Equal(answers(owner, unconditional), want) {
				t.Errorf("%s: without its condition at %d it returns no more: give newTwinClients a row that it finds", q.name, at[0])
			}
		}
	}
}

// Row-level security alone keeps clients apart: without its client's condition, every
// query returns the same rows to the server as with it.
func TestRowLevelSecurity_HoldsWithoutTheClientsCondition(t *testing.T) {
	t.Parallel()
	d := dbtest.New(t)
	twins := newTwinClients(t, d, "acme", "globex")
	server := dbtest.Connect(t, d.ServerURL)
	takeServerRole(t, server)
	unknown := uuid.MustParse("99999999-9999-4999-8999-999999999999")

	removed := 0
	for _, q := range readQueries(t) {
		switch q.name {
		case "AuditNextMeasurement": // it returns durations of whichever client is due, and no client's rows
			continue
		case "BeginRead": // it sets the client
			continue
		}
		args := twins.arguments(q)
		of := func(set *uuid.UUID, sql string, client uuid.UUID) []string {
			args["client_id"] = client
			return answerOf(t, server, set, sql, args)
		}
		whole := of(&twins.acme, q.text, twins.acme)
		wantNothingOf(t, q.name, "globex", whole)
		nothing := of(&twins.acme, q.text, unknown)
		same := func(what string, got, want []string) {
			t.Helper()
			check.Slices(t, got, want, q.name, what)
		}
		same("no client set", of(nil, q.text, twins.acme), nothing)
		same("asked for another client", of(&twins.acme, q.text, twins.globex), nothing)

		unconditional := clientCondition.ReplaceAllString(q.text, "($0 OR true)")
		if unconditional == q.text {
			continue // has none; what it is called with was tried above
		}
		removed++
		same("without its condition", of(&twins.acme, unconditional, twins.acme), whole)
		same("without its condition, no client set", of(nil, unconditional, twins.acme), nothing)
	}
	if removed < 20 {
		t.Errorf("only %d queries had a condition to remove", removed)
	}
}

var (
	clientCondition = regexp.MustCompile(`\w+\.\w+ = @client_id\b(::uuid)?`)
	queryName       = regexp.MustCompile(`(?m)^-- name: (\w+) :\w+$`)
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
		if filepath.Base(file) == "importing.sql" { // of an import's own tables
			continue
		}
		content, err := os.ReadFile(file)
		require.NoError(t, err)
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

// twinClients are clients, two or one, whose records have all the same ids, slugs and times.
// Every text of the second names it.
type twinClients struct {
	acme, globex, shared uuid.UUID
}

var twinsAt = time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)

func newTwinClients(t *testing.T, d *dbtest.Database, names ...string) twinClients {
	t.Helper()
	w := twinClients{
		acme: uuid.MustParse("11111111-1111-4111-8111-111111111111"), globex: uuid.MustParse("22222222-2222-4222-8222-222222222222"),
		shared: uuid.MustParse("33333333-3333-4333-8333-333333333333"),
	}
	conn := dbtest.Connect(t, d.OwnerURL)
	for i, name := range names {
		client := []uuid.UUID{w.acme, w.globex}[i]
		for _, statement := range []string{
			`INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
				VALUES (@client, @name, @name, 'canonical', 'canonical_measurement.v1')`,
			`INSERT INTO campaigns (client_id, id, slug, display_name, launch_status, active, created_at, updated_at)
				VALUES (@client, @id, 'same', @name, 'live', true, @at, @at)`,
			`INSERT INTO lanes (client_id, id, slug, display_name, visible) VALUES (@client, @id, 'same', @name, true)`,
			`INSERT INTO interviews (client_id, id, campaign_id, created_at, status, quality, reportable, client_safe,
					best_quote, participant_email, custom_extraction)
				SELECT @client, i.id, @id, @at, 'completed', 'passed', true, true,
					@name || ' quote', @name, jsonb_build_object('product_feedback', @name::text)
				FROM (VALUES (@id), (md5(@name)::uuid)) AS i (id)`,
			`INSERT INTO search_documents (client_id, id, created_at, folded) VALUES (@client, md5('globex')::uuid, @at, 'of no interview')
				ON CONFLICT DO NOTHING`,
			`UPDATE search_documents SET folded = folded || ' outdated' WHERE client_id = @client AND id = @id`,
			`INSERT INTO measurement_snapshots (client_id, id, as_of, measurement_contract_version, scope_hash, membership_hash,
					source_interview_ids, source_count)
				VALUES (@client, @id, @at, @name, repeat('0', 64), repeat('0', 64), '{}', 0)`,
			`INSERT INTO synthesis_documents (client_id, id, synthesis_type, lane_id, campaign_id, document, contract_version, status,
					feed_date, last_refreshed, created_at, updated_at)
				VALUES (@client, @id, 'daily_feed', @id, @id, '{}', @name, 'published', @at::timestamptz::date, @at, @at, @at)`,
			`INSERT INTO portal_documents (client_id, id, type, lane_id, campaign_id, feed_date, body, status, published_at, measurement_snapshot_id)
				SELECT @client, v.id, v.type, @id, @id, @at::timestamptz::date, jsonb_build_object('of', @name::text), 'published', @at, @id
				FROM (VALUES (@id, 'daily_feed'), (md5('lane')::uuid, 'lane'), (md5('campaign')::uuid, 'campaign')) AS v (id, type)`,
			`INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, created_at)
				VALUES (rpad(@name, 12, 'a'), md5(@name)::uuid, @client, @name, sha256(@name::bytea), '{}', @at)`,
			`INSERT INTO request_log (client_id, key_id, at, seq, route) VALUES (@client, @id, now() + interval '1 hour', 1, 'listInterviews')`,
			`INSERT INTO key_usage (client_id, key_id, hour, route, status, requests)
				VALUES (@client, @id, date_trunc('hour', now()), 'listInterviews', 200, 1)`,
			`INSERT INTO usage_sums (client_id, key_id, unit, at, route, status, requests)
				VALUES (@client, @id, 'day', date_trunc('day', now()), 'listInterviews', 200, 1)`,
			`INSERT INTO key_audits (client_id, action, key_id, account, actor, detail) VALUES (@client, 'issue', @id, @name, @name, '')`,
			`INSERT INTO imports (client_id) VALUES (@client)`,
		} {
			if _, err := conn.Exec(t.Context(), statement, pgx.NamedArgs{
				"client": client, "name": name, "id": w.shared, "at": twinsAt,
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
		"time_window": time.Hour, "grace": time.Hour, "expiring": nil, "except_id": w.shared, "unit": "day",
		"in_force": true, "from_at": first, "until_at": last, "before_id": int64(1 << 40),
		"caller_address": nil, "only_revoked": true, "prefix": "aaaaaaaaaaaa", "secret_hash": make([]byte, 32),
		"key_id": w.shared, "action": "issue", "account": "root@host", "detail": "text", "scopes": []string{"read:campaigns"}, "expires_at": last, "client_id": w.acme,
		// A group of no requests: an admission's row has the clock.
		"prefixes": []string{}, "secret_hashes": [][]byte{}, "routes": []string{}, "max_requests": 1, "clock_shift": time.Duration(0),
		"keys": []uuid.UUID{}, "hours": []time.Time{}, "statuses": []int16{}, "requests": []int64{},
		"kind": "interview", "client_ids": []uuid.UUID{w.acme}, "key_ids": []uuid.UUID{w.shared}, "ids": []uuid.UUID{w.shared},
		"campaigns": []uuid.UUID{w.globex},
		"texts":     []string{"text"}, "scan_limit": 0, "keep_outside": 0, "max_documents": 10, "contract_version": "canonical_measurement.v1",
	}
	if q.name == "ListKeysOfClient" { // all of them
		values["id"], values["in_force"] = nil, nil
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
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(ctx) }()
	if set != nil {
		dbtest.Exec(t, tx, "SELECT set_config('clientintel.client_id', $1, true)", set.String())
	}
	rows, err := tx.Query(ctx, sql, args)
	require.NoError(t, err, sql)
	found := []string{}
	for rows.Next() {
		values, err := rows.Values()
		require.NoError(t, err, sql)
		for i, value := range values {
			switch v := value.(type) {
			case float64: // how long something took
				values[i] = "seconds"
			case time.Time:
				if time.Since(v).Abs() < 2*time.Hour {
					values[i] = "now"
				}
			}
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
	return append([]string{rows.CommandTag().String()}, found...)
}

func wantNothingOf(t *testing.T, query, name string, rows []string) {
	t.Helper()
	for _, row := range rows {
		check.Lacks(t, row, name, query)
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
	dbtest.Exec(t, conn, "SET ROLE clientintel_server")
}

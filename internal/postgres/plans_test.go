package postgres_test

import (
	"cmp"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

var (
	// readers begin the names of queries that return a client's rows.
	readers = regexp.MustCompile(`^(List|Get|Find)(MemberIDs|Interview|Campaign|Synthesis|Portal|SavedBases|DataPoints|NewestSearch|Search)`)
	scan    = regexp.MustCompile(`Seq Scan on (interviews|synthesis_documents|search_documents)`) // small tables may be read whole
)

// Each query of a reader finds a large client's rows by an index, under the generic plan
// that prepared statements end up with and behind row-level security. With -v it prints the
// plans (make plans, which takes a million interviews).
func TestPlans_ReadersReadNoWholeTable(t *testing.T) {
	t.Parallel()
	interviews, err := strconv.Atoi(cmp.Or(os.Getenv("INTERVIEWS"), "20000"))
	require.NoError(t, err)
	d := dbtest.New(t)
	conn := dbtest.Connect(t, d.OwnerURL)
	importLargeClient(t, conn, interviews)
	values := sampleValues(t, conn)
	for _, statement := range []string{
		"SET plan_cache_mode = force_generic_plan", "SET jit = off", "SET clientintel.client_id = " + values["client_id"],
	} {
		dbtest.Exec(t, conn, statement)
	}
	takeServerRole(t, conn)
	explained := 0
	for _, q := range readQueries(t) {
		if !readers.MatchString(q.name) {
			continue
		}
		first := maps.Clone(values)
		for name := range first {
			if strings.HasPrefix(name, "after_") && name != "after_id" {
				first[name] = "'9999-12-31 00:00:00+00'"
			}
		}
		for _, place := range []map[string]string{first, values} {
			plan := planOf(t, conn, q, place)
			t.Logf("%s\n%s", q.name, plan)
			check.Equal(t, scan.FindString(plan), "", q.name, plan)
			explained++
		}
	}
	if explained < 40 {
		t.Errorf("only %d plans were looked at", explained)
	}
}

func importLargeClient(t *testing.T, conn *pgx.Conn, interviews int) {
	t.Helper()
	reader, writer := io.Pipe()
	go func() {
		_, err := corpus.Generate(writer, corpus.Options{
			Seed: 1, From: time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
			Clients: []corpus.ClientOptions{
				{Slug: "large", Mode: corpus.ModeCanonical, Interviews: interviews, Campaigns: 60, Synthesis: interviews / 20, EqualCreatedAt: interviews / 10},
				{Slug: "small", Mode: corpus.ModeLegacy, Interviews: 1000, Campaigns: 20, Synthesis: 200},
			},
		})
		writer.CloseWithError(err)
	}()
	summary, err := importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", reader))
	require.NoError(t, err)
	require.NoError(t, importer.Vacuum(t.Context(), conn, summary))
}

// planOf prepares a query as the server does, and runs it under EXPLAIN.
func planOf(t *testing.T, conn *pgx.Conn, q namedQuery, values map[string]string) string {
	t.Helper()
	var names, arguments []string
	text := parameter.ReplaceAllStringFunc(q.text, func(found string) string {
		name := found[1:]
		if !slices.Contains(names, name) {
			if values[name] == "" {
				t.Fatalf("%s takes @%s: give it a value in sampleValues", q.name, name)
			}
			names, arguments = append(names, name), append(arguments, values[name])
		}
		return "$" + strconv.Itoa(slices.Index(names, name)+1)
	})
	dbtest.Exec(t, conn, "PREPARE explained AS "+text)
	defer func() { _, _ = conn.Exec(t.Context(), "DEALLOCATE explained") }()
	rows, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) EXECUTE explained ("+strings.Join(arguments, ", ")+")",
		pgx.QueryExecModeSimpleProtocol)
	require.NoError(t, err, q.name)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err, q.name)
	return strings.Join(lines, "\n")
}

// sampleValues are the parameters' values by name, as SQL: of the largest client, one of its
// campaigns and lanes, and a place in the middle of its interviews.
func sampleValues(t *testing.T, conn *pgx.Conn) map[string]string {
	t.Helper()
	var client, campaign, interview, lane, middle, day string
	err := conn.QueryRow(t.Context(), `
		SELECT format('%L', c.id), format('%L', i.campaign_id), format('%L', i.id), format('%L', i.created_at),
			format('%L', i.created_at::date),
			(SELECT format('%L', l.id) FROM lanes AS l WHERE l.client_id = c.id LIMIT 1)
		FROM clients AS c
		CROSS JOIN LATERAL (
			SELECT u.campaign_id, u.id, u.created_at
			FROM usable_interviews AS u
			WHERE u.client_id = c.id AND u.campaign_id IS NOT NULL
			ORDER BY u.created_at DESC, u.id
			OFFSET 1000 LIMIT 1
		) AS i
		WHERE c.slug = 'large'`).Scan(&client, &campaign, &interview, &middle, &day, &lane)
	require.NoError(t, err)
	return map[string]string{
		"client_id": client, "campaign_id": campaign, "lane_id": lane, "id": interview, "campaign": "NULL", "slug": "'none'",
		"after_created_at": middle, "after_refreshed_key": middle, "after_updated_at": middle, "after_feed_key": middle, "after_published_key": middle,
		"after_id": interview, "from_created_at": "'0001-01-01'", "until_created_at": "'9999-12-31'", "updated_since": "'0001-01-01'",
		"of_days": "true", "first_day": day, "last_day": day, "status": "'analyzed'", "launch_status": "'live'", "synthesis_type": "'daily_feed'",
		"type": "'daily_feed'", "document_ids": "'{}'", "max_rows": "51", "max_hits": "50", "query": "'" + corpus.TermRare + "'",
		"with_identity": "true", "with_transcripts": "true", "with_custom_extraction": "true", "with_raw_extraction": "true",
	}
}

package main

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/tools/sqlqueries"
)

// prepared numbers a query's parameters from $1 on.
func prepared(q sqlqueries.Query) (text string, parameters []string) {
	text = q.Text(func(name string) string {
		if !slices.Contains(parameters, name) {
			parameters = append(parameters, name)
		}
		return "$" + strconv.Itoa(slices.Index(parameters, name)+1)
	})
	return text, parameters
}

// reads begin the names of queries that return a client's rows to a reader.
var reads = regexp.MustCompile(`^(List|Get|Find)(Measurement|MemberIDs|Interview|Campaign|Synthesis|Portal|SavedBases|DataPoints|NewestSearch|Search)`)

// place is where a page begins.
type place struct {
	name   string
	values map[string]string
}

// places are the first page and one in the middle, if the query returns pages.
func places(parameters []string, values map[string]string) []place {
	if !slices.Contains(parameters, "after_id") {
		return []place{{"", values}}
	}
	first := maps.Clone(values)
	for name := range first {
		if strings.HasPrefix(name, "after_") {
			first[name] = "'9999-12-31 00:00:00+00'"
		}
	}
	first["after_id"] = "'ffffffff-ffff-ffff-ffff-ffffffffffff'"
	return []place{{", first page", first}, {", in the middle", values}}
}

// sampleValues are the parameters' values by name, as SQL: of the largest client, one of its
// campaigns and lanes, and a place in the middle of its interviews.
func sampleValues(ctx context.Context, conn *pgx.Conn) (map[string]string, error) {
	var client, campaign, interview, lane, middle, day string
	err := conn.QueryRow(ctx, `
		SELECT format('%L', s.client_id), format('%L', i.campaign_id), format('%L', i.id), format('%L', i.created_at),
			format('%L', i.created_at::date),
			(SELECT format('%L', l.id) FROM lanes AS l WHERE l.client_id = s.client_id LIMIT 1)
		FROM measurement_states AS s
		CROSS JOIN LATERAL (
			SELECT u.campaign_id, u.id, u.created_at
			FROM usable_interviews AS u
			WHERE u.client_id = s.client_id AND u.campaign_id IS NOT NULL
			ORDER BY u.created_at DESC, u.id
			OFFSET s.members / 3 LIMIT 1
		) AS i
		ORDER BY s.members DESC
		LIMIT 1`).Scan(&client, &campaign, &interview, &middle, &day, &lane)
	return map[string]string{
		"client_id": client, "campaign_id": campaign, "lane_id": lane, "id": interview, "campaign": "NULL", "slug": "'none'",
		"after_created_at": middle, "after_refreshed_key": middle, "after_updated_at": middle, "after_feed_key": middle, "after_published_key": middle,
		"after_id": interview, "from_created_at": "'0001-01-01'", "until_created_at": "'9999-12-31'", "updated_since": "'0001-01-01'",
		"of_days": "true", "first_day": day, "last_day": day, "status": "'analyzed'", "launch_status": "'live'", "synthesis_type": "'daily_feed'",
		"type": "'daily_feed'", "document_ids": "'{}'", "max_rows": "51", "max_hits": "50", "query": "'" + corpus.TermRare + "'",
		"with_identity": "true", "with_transcripts": "true", "with_custom_extraction": "true", "with_raw_extraction": "true",
	}, err
}

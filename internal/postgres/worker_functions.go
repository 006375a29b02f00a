package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/sql/distributed"
)

// workerQueries are queries that a distributed database answers as one call on the
// client's worker each. The function there names the shards and keeps the statement
// prepared, so that it is planned once; of distributed tables Citus plans it each time,
// on the coordinator and again on the worker.
var workerQueries = []string{
	workerMeasurement,
	db.ListInterviews, db.ListInterviewsOfCampaign, db.ListInterviewsWithStatus,
	db.ListCampaigns,
	db.ListSynthesisDocuments, db.ListSynthesisDocumentsOfType, db.ListSynthesisDocumentsOfLane,
	db.ListSynthesisDocumentsOfCampaign, db.ListSynthesisDocumentsOfDays,
	db.ListPortalDocuments, db.ListPortalDocumentsOfLane, db.ListPortalDocumentsOfCampaign,
}

// workerMeasurement takes the place of GetMeasurement: with the clock of the worker as
// its transaction began, and the triggers as they are beside the client.
var workerMeasurement = strings.Replace(db.GetMeasurement,
	"(SELECT t.all_enabled FROM measurement_trigger_status AS t)::boolean AS triggers_enabled",
	"count_shard_triggers(get_shard_id_for_distribution_column('clients', $1)) = 19 AS triggers_enabled, transaction_timestamp() AS as_of", 1)

type workerMeasurementRow struct {
	db.GetMeasurementRow
	AsOf time.Time
}

// workerCalls are the calls of these functions, by query, under the query's name.
var workerCalls = sync.OnceValue(func() map[string]string {
	calls := map[string]string{}
	for _, query := range workerQueries {
		var parameters []string
		for n := 1; strings.Contains(query, fmt.Sprintf("$%d", n)); n++ {
			parameters = append(parameters, fmt.Sprintf("$%d", n))
		}
		name, _, _ := strings.Cut(query, "\n")
		calls[query] = fmt.Sprintf("%s\nSELECT * FROM %s(%s)", name, workerFunction(query), strings.Join(parameters, ", "))
	}
	return calls
})

var (
	queryName       = regexp.MustCompile(`^-- name: (\w+)`)
	wordStart       = regexp.MustCompile(`([a-z])([A-Z])`)
	clientParameter = regexp.MustCompile(`\bclient_id = \$(\d+)`)
)

// workerRevision is one more whenever onShards writes another text.
const workerRevision = 1

// workerFunction names the function of a query by all that decides its text: releases
// that differ have functions beside each other, while servers of both run, and none
// finds a statement that was prepared for another.
func workerFunction(query string) string {
	hash := sha256.Sum256(fmt.Append(nil, workerRevision, SchemaVersion(), distributed.Distribute, workerTemplate, query))
	name := wordStart.ReplaceAllString(queryName.FindStringSubmatch(query)[1], "${1}_$2")
	return fmt.Sprintf("worker_%s_%x", strings.ToLower(name), hash[:4])
}

// workerFunctions are the names of all, apart by spaces.
var workerFunctions = sync.OnceValue(func() string {
	var names []string
	for _, query := range workerQueries {
		names = append(names, workerFunction(query))
	}
	return strings.Join(names, " ")
})

// checkWorkerFunctions refuses a database that another release distributed.
func checkWorkerFunctions(ctx context.Context, q Querier) error {
	var missing int
	// Through a pooler a named statement may not outlive its transaction.
	err := q.QueryRow(ctx, "SELECT count(*) FROM unnest(string_to_array($1, ' ')) AS n (name) WHERE NOT EXISTS (SELECT 1 FROM pg_proc AS p "+
		"WHERE p.pronamespace = 'public'::regnamespace AND p.proname = n.name)", pgx.QueryExecModeSimpleProtocol, workerFunctions()).Scan(&missing)
	if err != nil {
		return fmt.Errorf("looking for the functions of distributed tables: %w", err)
	}
	if missing > 0 {
		return errors.New("another release distributed this database: run this release's clientintel migrate")
	}
	return nil
}

// createWorkerFunctions makes the function of each query, as the owner. Relations that
// the query names become common table expressions of the same names: tables stand for
// the client's shards, views for their definitions.
func createWorkerFunctions(ctx context.Context, tx pgx.Tx) error {
	rows, _ := tx.Query(ctx, `SELECT c.relname, CASE WHEN c.relkind = 'v' THEN rtrim(pg_get_viewdef(c.oid), ';') END
		FROM pg_class AS c
		WHERE c.relnamespace = 'public'::regnamespace
			AND (c.relkind = 'v' OR EXISTS (SELECT 1 FROM pg_dist_partition AS p WHERE p.logicalrelid = c.oid))
		ORDER BY c.relkind = 'v', c.oid`) // CollectRows returns its error
	relations, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	if err != nil {
		return fmt.Errorf("reading the distributed tables and the views: %w", err)
	}
	for _, query := range workerQueries {
		if err := createWorkerFunction(ctx, tx, query, relations); err != nil {
			return fmt.Errorf("making the function %s: %w", workerFunction(query), err)
		}
	}
	return nil
}

// relation is a distributed table or, with its definition, a view.
type relation struct {
	Name       string
	Definition *string
}

func createWorkerFunction(ctx context.Context, tx pgx.Tx, query string, relations []relation) error {
	described, err := tx.Prepare(ctx, "", query)
	if err != nil {
		return err
	}
	of := slices.Clone(described.ParamOIDs)
	for _, f := range described.Fields {
		of = append(of, f.DataTypeOID)
	}
	var types []string
	if err := tx.QueryRow(ctx, "SELECT array_agg(format_type(t.oid, NULL) ORDER BY t.n) FROM unnest($1::oid[]) WITH ORDINALITY AS t (oid, n)",
		of).Scan(&types); err != nil {
		return err
	}
	arguments, columns := types[:len(described.ParamOIDs)], types[len(described.ParamOIDs):]
	client, err := strconv.Atoi(clientParameter.FindStringSubmatch(query)[1])
	if err != nil {
		return err
	}
	argument := func(i int) string {
		if i+1 == client {
			return "client"
		}
		return fmt.Sprintf("a%d", i+1)
	}
	each := func(of func(int) string) string { return list(len(arguments), of) }
	text, tables := onShards(query, relations)
	_, err = tx.Exec(ctx, strings.NewReplacer(
		"{name}", workerFunction(query),
		"{types}", strings.Join(arguments, ", "),
		"{arguments}", each(func(i int) string { return argument(i) + " " + arguments[i] }),
		"{values}", each(argument),
		"{literals}", each(func(int) string { return "%L" }),
		"{columns}", list(len(columns), func(i int) string { return described.Fields[i].Name + " " + columns[i] }),
		"{text}", text,
		"{shards}", list(len(tables), func(i int) string {
			return fmt.Sprintf("shard_name('%[1]s', get_shard_id_for_distribution_column('%[1]s', client))", tables[i])
		}),
	).Replace(workerTemplate), pgx.QueryExecModeSimpleProtocol)
	return err
}

// workerTemplate is volatile, as PREPARE is allowed nowhere else: all that is read is of
// the response's one snapshot anyway. EXECUTE of no statement is a syntax error. Times
// become literals as any session reads them.
const workerTemplate = `CREATE OR REPLACE FUNCTION {name}({arguments})
RETURNS TABLE ({columns})
LANGUAGE plpgsql ROWS 50 SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
SET datestyle = 'ISO, YMD' SET timezone = 'UTC' AS $function$
DECLARE
    statement CONSTANT text := '{name}_' || get_shard_id_for_distribution_column('clients', client);
    call CONSTANT text := format('EXECUTE %s({literals})', statement, {values});
BEGIN
    BEGIN
        RETURN QUERY EXECUTE call;
        RETURN;
    EXCEPTION WHEN syntax_error OR invalid_sql_statement_name THEN
        EXECUTE format($query$PREPARE %s({types}) AS {text}$query$, statement, {shards});
    END;
    RETURN QUERY EXECUTE call;
END;
$function$;
SELECT create_distributed_function('{name}({types})', 'client', colocate_with => 'clients', force_delegation => true);`

// onShards is a query of shards, a text for PostgreSQL's format, and the tables whose
// shards' names it takes, in order.
func onShards(query string, relations []relation) (text string, tables []string) {
	_, query, _ = strings.Cut(strings.ReplaceAll(query, "%", "%%"), "\n")
	text = query
	var named []string
	for _, r := range slices.Backward(relations) {
		if !regexp.MustCompile(`(?:FROM|JOIN)\s+\(*` + regexp.QuoteMeta(r.Name) + `\b`).MatchString(text) {
			continue
		}
		definition := "SELECT * FROM %s"
		if r.Definition != nil {
			definition = strings.ReplaceAll(*r.Definition, "%", "%%")
		} else {
			tables = append(tables, r.Name)
		}
		text = definition + "\n" + text
		named = append(named, fmt.Sprintf("%s AS NOT MATERIALIZED (%s)", r.Name, definition))
	}
	slices.Reverse(named)
	slices.Reverse(tables)
	return fmt.Sprintf("WITH %s\n(%s)", strings.Join(named, ", "), query), tables
}

func list(n int, of func(int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = of(i)
	}
	return strings.Join(all, ", ")
}

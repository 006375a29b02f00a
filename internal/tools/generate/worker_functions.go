package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/sql/distributed"
)

// workerQueries are queries that a distributed database executes as one call on the
// client's worker each.
var workerQueries = []string{
	"GetMeasurement",
	"ListInterviews", "ListInterviewsOfCampaign", "ListInterviewsWithStatus",
	"ListCampaigns",
	"ListSynthesisDocuments", "ListSynthesisDocumentsOfType", "ListSynthesisDocumentsOfLane",
	"ListSynthesisDocumentsOfCampaign", "ListSynthesisDocumentsOfDays",
	"ListPortalDocuments", "ListPortalDocumentsOfLane", "ListPortalDocumentsOfCampaign",
}

// The measurement counts the triggers on the shards co-located with the client's, where
// the catalog's view would show other tables, and adds the time at which the worker's
// transaction began.
const (
	coordinatorTriggers = "(SELECT bool_and(t.enabled) FROM measurement_triggers AS t)::boolean AS triggers_enabled"
	workerTriggers      = "count_shard_triggers(get_shard_id_for_distribution_column('clients', $1)) = 16 AS triggers_enabled, transaction_timestamp() AS as_of"
)

// citusStubs let distribute.sql run on a PostgreSQL without Citus: they record which
// tables it distributes.
const citusStubs = `
CREATE TABLE pg_dist_partition (logicalrelid regclass);
CREATE TABLE pg_dist_object (classid oid, objid oid, distribution_argument_index integer);
CREATE FUNCTION create_distributed_table(regclass, text, colocate_with text) RETURNS void
LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES ($1)';
CREATE FUNCTION create_distributed_function(regprocedure, text DEFAULT '', colocate_with text DEFAULT '', force_delegation boolean DEFAULT false)
RETURNS void LANGUAGE sql AS '';
CREATE FUNCTION get_shard_id_for_distribution_column(regclass, uuid) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint';`

const (
	workerFunctionsSQL = "gen/db/worker_functions.sql"
	workerFunctionsGo  = "gen/db/worker_functions.go"
)

// writeWorkerFunctions writes the functions and their calls. It distributes the database,
// which is of no other use afterwards, as the superuser: no other login may name settings
// of an extension that is not there.
func writeWorkerFunctions(ctx context.Context, superuserURL string) error {
	texts, err := queryTexts()
	if err != nil {
		return err
	}
	conn, err := postgres.ConnectOwner(ctx, superuserURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, citusStubs+distributed.Distribute, pgx.QueryExecModeSimpleProtocol); err != nil {
		return fmt.Errorf("distributing a database without Citus: %w", err)
	}
	rows, _ := conn.Query(ctx, `SELECT c.relname, CASE WHEN c.relkind = 'v' THEN rtrim(pg_get_viewdef(c.oid), ';') END
		FROM pg_class AS c
		WHERE c.relnamespace = 'public'::regnamespace
			AND (c.relkind = 'v' OR EXISTS (SELECT 1 FROM pg_dist_partition AS p WHERE p.logicalrelid = c.oid))
		ORDER BY c.relkind = 'v', c.oid`) // CollectRows returns its error
	relations, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	if err != nil {
		return err
	}
	made, calls, names := workerFunctionsHeader, workerCallsHeader, []string{}
	for _, query := range workerQueries {
		text := texts[query]
		if query == "GetMeasurement" {
			if !strings.Contains(text, coordinatorTriggers) {
				return fmt.Errorf("GetMeasurement no longer reads %s", coordinatorTriggers)
			}
			text = strings.Replace(text, coordinatorTriggers, workerTriggers, 1)
		}
		f, err := newWorkerFunction(ctx, conn, query, text, relations)
		if err != nil {
			return fmt.Errorf("the function of %s: %w", query, err)
		}
		made += f.create
		calls += fmt.Sprintf("\t%q: %q,\n", f.header, f.header+"\n"+f.call)
		names = append(names, f.name)
	}
	calls += fmt.Sprintf("}\n\n// WorkerFunctionNames are the names of the functions, separated by spaces.\nconst WorkerFunctionNames = %q\n", strings.Join(names, " "))
	formatted, err := format.Source([]byte(calls))
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(workerFunctionsSQL, []byte(made), 0o644), os.WriteFile(workerFunctionsGo, formatted, 0o644))
}

// queryTexts are the queries in gen/db by name. They are read from the files, as this
// program was compiled before sqlc wrote them.
func queryTexts() (map[string]string, error) {
	files, err := filepath.Glob("gen/db/*.sql.go")
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for spec := range ast.Preorder(file) {
			constant, ok := spec.(*ast.ValueSpec)
			if !ok || len(constant.Values) != 1 {
				continue
			}
			if text, ok := constant.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
				if texts[constant.Names[0].Name], err = strconv.Unquote(text.Value); err != nil {
					return nil, err
				}
			}
		}
	}
	return texts, nil
}

// relation is a distributed table or, with its definition, a view.
type relation struct {
	Name       string
	Definition *string
}

// workerFunction is the function of a query.
type workerFunction struct {
	name   string
	header string // the query's first line, which names it
	create string
	call   string
}

var (
	wordStart       = regexp.MustCompile(`([a-z])([A-Z])`)
	clientParameter = regexp.MustCompile(`\bclient_id = \$(\d+)`)
)

func newWorkerFunction(ctx context.Context, conn *pgx.Conn, query, text string, relations []relation) (workerFunction, error) {
	client := clientParameter.FindStringSubmatch(text)
	if client == nil {
		return workerFunction{}, fmt.Errorf("sql/queries has no such query with a condition on client_id")
	}
	described, err := conn.Prepare(ctx, "", text)
	if err != nil {
		return workerFunction{}, err
	}
	oids := slices.Clone(described.ParamOIDs)
	for _, field := range described.Fields {
		oids = append(oids, field.DataTypeOID)
	}
	var types []string
	if err := conn.QueryRow(ctx, "SELECT array_agg(format_type(t.oid, NULL) ORDER BY t.n) FROM unnest($1::oid[]) WITH ORDINALITY AS t (oid, n)",
		oids).Scan(&types); err != nil {
		return workerFunction{}, err
	}
	arguments, columns := types[:len(described.ParamOIDs)], types[len(described.ParamOIDs):]
	argument := func(i int) string {
		if strconv.Itoa(i+1) == client[1] {
			return "client"
		}
		return fmt.Sprintf("a%d", i+1)
	}
	header, body, _ := strings.Cut(text, "\n")
	onShards, tables := onShards(body, relations)
	create := strings.NewReplacer(
		"{types}", strings.Join(arguments, ", "),
		"{arguments}", list(len(arguments), ", ", func(i int) string { return argument(i) + " " + arguments[i] }),
		"{values}", list(len(arguments), ", ", argument),
		"{literals}", list(len(arguments), ", ", func(int) string { return "%L" }),
		"{columns}", list(len(columns), ", ", func(i int) string { return described.Fields[i].Name + " " + columns[i] }),
		"{query}", onShards,
		"{shards}", list(len(tables), ",\n            ", func(i int) string {
			return fmt.Sprintf("shard_name('%[1]s', get_shard_id_for_distribution_column('%[1]s', client))", tables[i])
		}),
	).Replace(workerFunctionTemplate)
	name, err := workerFunctionName(query, create)
	if err != nil {
		return workerFunction{}, err
	}
	return workerFunction{
		name:   name,
		header: header,
		create: strings.ReplaceAll(create, "{name}", name),
		call:   fmt.Sprintf("SELECT * FROM %s(%s)", name, list(len(arguments), ", ", func(i int) string { return fmt.Sprintf("$%d", i+1) })),
	}, nil
}

// workerFunctionName ends with a hash of the function's text: of two releases whose
// functions differ, both have theirs, and neither executes a statement that the other's
// prepared.
func workerFunctionName(query, create string) (string, error) {
	hash := sha256.Sum256([]byte(create))
	name := fmt.Sprintf("worker_%s_%x", strings.ToLower(wordStart.ReplaceAllString(query, "${1}_$2")), hash[:4])
	if len(name) > 54 { // PostgreSQL cuts names off after 63 bytes, and a statement's ends with the shard's number
		return "", fmt.Errorf("the name %s is too long", name)
	}
	return name, nil
}

// onShards makes of a query the text of one that reads shards, for PostgreSQL's format,
// and the tables whose shards' names that takes, in order. The relations that the query
// names become common table expressions of the same names: tables stand for the client's
// shards, views for their definitions.
func onShards(query string, relations []relation) (onShards string, tables []string) {
	query = strings.TrimSpace(strings.ReplaceAll(query, "%", "%%"))
	read := query
	var named []string
	for _, r := range slices.Backward(relations) {
		if !regexp.MustCompile(`(?:FROM|JOIN)\s+\(*` + regexp.QuoteMeta(r.Name) + `\b`).MatchString(read) {
			continue
		}
		definition := "SELECT * FROM %s"
		if r.Definition != nil {
			definition = strings.ReplaceAll(*r.Definition, "%", "%%")
		} else {
			tables = append(tables, r.Name)
		}
		read = definition + "\n" + read
		named = append(named, fmt.Sprintf("%s AS NOT MATERIALIZED (%s)", r.Name, definition))
	}
	slices.Reverse(named)
	slices.Reverse(tables)
	return fmt.Sprintf("WITH %s\n(%s)", strings.Join(named, ",\n"), query), tables
}

func list(n int, separator string, of func(int) string) string {
	all := make([]string, n)
	for i := range all {
		all[i] = of(i)
	}
	return strings.Join(all, separator)
}

const workerFunctionsHeader = `-- Code generated by internal/tools/generate from sql/queries, the views of sql/migrations
-- and sql/distributed. DO NOT EDIT.

-- The queries that a distributed database executes on the client's worker. Each function
-- names the client's shards and keeps the statement prepared, so that it is planned once:
-- of distributed tables Citus plans it each time, on the coordinator and again on the
-- worker. A name ends with a hash of its function's text.
--
-- The functions are volatile, as PREPARE is allowed in no others: all that they read is
-- of the response's one snapshot anyway. EXECUTE of a statement that is not prepared is a
-- syntax error. Times become literals that any session reads alike.
`

const workerFunctionTemplate = `
CREATE OR REPLACE FUNCTION {name}({arguments})
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
        EXECUTE format($query$
PREPARE %s({types}) AS
{query}
$query$, statement,
            {shards});
    END;
    RETURN QUERY EXECUTE call;
END;
$function$;
SELECT create_distributed_function('{name}({types})', 'client', colocate_with => 'clients', force_delegation => true);
`

const workerCallsHeader = `// Code generated by internal/tools/generate. DO NOT EDIT.

package db

import _ "embed"

// WorkerFunctions creates the functions that execute queries on the client's worker, as
// the owner of a distributed database.
//
//go:embed worker_functions.sql
var WorkerFunctions string

// WorkerCalls are the calls of these functions, by the first line of the query that each
// takes the place of.
var WorkerCalls = map[string]string{
`

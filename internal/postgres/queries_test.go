package postgres_test

import (
	"regexp"
	"slices"
	"testing"

	ast "github.com/pganalyze/pg_query_go/v6"
)

// readsManyClients are the relations and functions that a query may read of more
// than the client @client_id, each for its reason.
var readsManyClients = map[string]string{
	"AddKeyUsage: add_key_usage":                         "the key determines the client",
	"AdmitRequests: admit":                               "the key determines the client",
	"AuditNextMeasurement: audit_next_measurement":       "chooses the client that was audited longest ago",
	"DeleteClients: clients":                             "an import names several clients, by @client_ids",
	"DeleteMeasurementChanges: measurement_changes":      "an import names several clients, by @client_ids",
	"DeleteKeys: delete_keys":                            "an import names several clients, by @client_ids",
	"FindClient: clients":                                "the operator names the client by its slug",
	"FindKey: api_keys":                                  "the operator names a key, whose client is the result",
	"FindKey: request_log":                               "joined to the key that the operator names",
	"IndexSearchDocuments: index_search_documents":       "indexes the documents of every large client",
	"ListClients: clients":                               "the operator lists what every client has",
	"ListClients: campaigns":                             "the operator lists what every client has",
	"ListClients: interviews":                            "the operator lists what every client has",
	"ListClients: synthesis_documents":                   "the operator lists what every client has",
	"ListClients: portal_documents":                      "the operator lists what every client has",
	"ListClientsByID: clients":                           "the operator lists every client",
	"ListClientsByID: api_keys":                          "the operator lists every client",
	"ListClients: api_keys":                              "the operator lists what every client has",
	"ListKeyAudits: api_keys":                            "joined to the audits that the operator lists",
	"ListKeyAudits: key_audits":                          "the operator may list the audits of all clients",
	"ListKeys: api_keys":                                 "the operator may list the keys of all clients",
	"ListKeys: request_log":                              "joined to the keys that the operator lists",
	"ListMeasuredClients: clients":                       "the operator may list all clients",
	"MaintainRequestLog: maintain_request_log":           "drops whole days of every client's log",
	"MergeMeasurementChanges: merge_measurement_changes": "merges the changes of every client",
	"ReadHealth: read_health":                            "returns sums over all clients",
	"ReplaceKey: api_keys":                               "the operator names a key",
	"RevokeKey: api_keys":                                "the operator names a key",
	"ListClients: imports":                               "the operator lists what every client has",
	"ListLastImports: clients":                           "the operator lists the last sync of every client",
	"ListLastImports: imports":                           "the operator lists the last sync of every client",
	"ReadSyncHealth: read_sync_health":                   "returns a moment and a number of all clients",
}

var queryName = regexp.MustCompile(`(?m)^-- name: (\w+) :\w+$`)

// In every query, a condition binds each relation of a client to @client_id.
func TestQueries_AreLedByTheirClient(t *testing.T) {
	schema := readTenancy(t)
	excused := map[string]bool{}
	for _, q := range readQueries(t) {
		for _, name := range checkClient(schema, parseSQL(t, q.name, q.text)).unbound {
			entry := q.name + ": " + name
			if _, known := readsManyClients[entry]; !known {
				t.Errorf("%s is not bound: add a condition <alias>.client_id = @client_id to its own WHERE or ON, or pass @client_id as the client", entry)
			}
			excused[entry] = true
		}
	}
	for entry := range readsManyClients {
		if !excused[entry] {
			t.Errorf("%s is excused without need", entry)
		}
	}
}

// Without any one of its conditions, each query fails the check.
func TestQueries_EachConditionIsNeeded(t *testing.T) {
	schema := readTenancy(t)
	tried := 0
	for _, q := range readQueries(t) {
		parsed := parseSQL(t, q.name, q.text)
		whole := checkClient(schema, parsed)
		for i, condition := range whole.conditions {
			node := condition.Node
			condition.Node = &ast.Node_AConst{AConst: &ast.A_Const{Val: &ast.A_Const_Boolval{Boolval: &ast.Boolean{Boolval: true}}}}
			if slices.Equal(checkClient(schema, parsed).unbound, whole.unbound) {
				t.Errorf("%s passes without its condition %d of %d", q.name, i+1, len(whole.conditions))
			}
			condition.Node = node
			tried++
		}
	}
	if tried < 50 {
		t.Errorf("only %d conditions were found", tried)
	}
}

func TestQueries_OnlyAConditionOfItsOwnBindsARelation(t *testing.T) {
	schema := readTenancy(t)
	for sql, unbound := range map[string][]string{
		`SELECT interviews.id FROM public.interviews WHERE @client_id::uuid = interviews.client_id AND interviews.id = @id`:                   nil,
		`SELECT c.slug FROM clients AS c WHERE (c.slug <> '' AND (c.id = @client_id AND c.name <> ''))`:                                       nil,
		`SELECT 1 FROM campaigns AS c JOIN interviews AS i ON c.client_id = @client_id AND i.client_id = c.client_id`:                         nil,
		`SELECT 1 FROM campaigns AS c LEFT JOIN interviews AS i ON i.client_id = @client_id WHERE c.client_id = @client_id`:                   nil,
		`SELECT 1 FROM find_search_documents(@client_id::uuid, NULL, 'x', 1) AS h JOIN interviews AS i ON i.client_id = h.client_id`:          nil,
		`UPDATE interviews AS i SET status = c.slug FROM campaigns AS c WHERE c.client_id = @client_id AND i.client_id = c.client_id`:         nil,
		`INSERT INTO lanes (client_id) VALUES (@client_id) ON CONFLICT DO NOTHING`:                                                            nil,
		`SELECT i.client_id = @client_id FROM interviews AS i`:                                                                                {"interviews"},
		"SELECT i.id FROM interviews AS i -- WHERE i.client_id = @client_id\n":                                                                {"interviews"},
		`SELECT i.id FROM interviews AS i WHERE i.campaign_id IN (SELECT c.id FROM campaigns AS c WHERE c.client_id = @client_id)`:            {"interviews"},
		`SELECT (SELECT max(c.slug) FROM campaigns AS c WHERE c.client_id = i.client_id) FROM interviews AS i WHERE i.client_id = @client_id`: {"campaigns"},
		`WITH w AS (SELECT i.id FROM interviews AS i) SELECT w.id FROM w WHERE w.client_id = @client_id`:                                      {"interviews"},
		`SELECT i.id FROM interviews AS i WHERE i.client_id = @client_id UNION ALL SELECT c.id FROM campaigns AS c`:                           {"campaigns"},
		`SELECT i.id FROM interviews AS i WHERE i.id = @id AND (i.client_id = @client_id OR true)`:                                            {"interviews"},
		`SELECT i.id FROM interviews AS i WHERE NOT (i.client_id = @client_id)`:                                                               {"interviews"},
		`SELECT i.id FROM interviews AS i WHERE i.campaign_id = @client_id`:                                                                   {"interviews"},
		`SELECT i.id FROM interviews AS i WHERE i.client_id = @campaign_id`:                                                                   {"interviews"},
		`SELECT i.id FROM interviews AS i WHERE i.client_id = i.client_id`:                                                                    {"interviews"},
		`SELECT i.id FROM interviews AS i WHERE i.client_id <> @client_id`:                                                                    {"interviews"},
		`SELECT 1 FROM campaigns AS c, interviews AS i WHERE c.client_id = @client_id`:                                                        {"interviews"},
		`SELECT 1 FROM campaigns AS c JOIN interviews AS i ON i.client_id = c.client_id`:                                                      {"campaigns", "interviews"},
		`SELECT 1 FROM campaigns AS c LEFT JOIN interviews AS i ON c.client_id = @client_id AND i.client_id = @client_id`:                     {"campaigns"},
		`SELECT 1 FROM campaigns AS c FULL JOIN interviews AS i ON c.client_id = @client_id AND i.client_id = @client_id`:                     {"campaigns", "interviews"},
		`DELETE FROM interviews AS i USING campaigns AS c WHERE i.client_id = @client_id`:                                                     {"campaigns"},
		`SELECT h.id FROM find_search_documents(@id::uuid, NULL, @client_id, 1) AS h`:                                                         {"find_search_documents"},
		`INSERT INTO lanes (client_id) VALUES (@client_id) ON CONFLICT (client_id, id) DO UPDATE SET slug = 'x'`:                              {"lanes"},
		`MERGE INTO lanes AS l USING campaigns AS c ON l.client_id = @client_id WHEN MATCHED THEN DELETE`:                                     {"campaigns", "lanes"},
	} {
		if got := checkClient(schema, parseSQL(t, sql, sql)).unbound; !slices.Equal(got, unbound) {
			t.Errorf("%s\nunbound: %q, want %q", sql, got, unbound)
		}
	}
}

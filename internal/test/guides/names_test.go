package guides_test

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/openapi"
)

// ownWords are what the guides name beside the contract's words: their own
// files, columns and functions, other makers' settings, and HTTP's own words.
// One that no guide uses any more is a mistake too.
func ownWords() []string {
	return []string{
		// files, and what is in them
		"clientintel.py", "schema.sql", "sync.py", "intelligence.py", "visible_ids", "connect", "PLACE", "COLUMNS", "full",
		"custom_extraction JSON", "openapi.json", "Client(leave=100)",
		// what a database's connect returns
		`sqlite3.connect("warehouse.db", isolation_level=None)`, `psycopg.connect("dbname=warehouse", autocommit=True)`,
		`duckdb.connect("warehouse.duckdb")`, `"?"`, `"%s"`,
		"json",
		// HTTP, JSON and the measurement's words
		"GET", "Authorization", "Authorization: Bearer", "Date", "https", "private, no-store", "Accept-Encoding: gzip", "If-None-Match",
		"data", "null", "{data, meta}", "SET TIME ZONE 'UTC'", "isError", "include_basis", "include_rows", "+02:00", "Z", "%2B",
		// Power BI, dlt and the hosts of agents
		"ClientIntelKey", "ClientIntelWalk", "Web.Contents", "RelativePath", "Query", "interviews[conversation_goal_id]", "campaigns[id]",
		"rest_api", `rest_api_source(json.load(open("clientintel.json")))`, "request_max_retry_delay", "[runtime]",
		".mcp.json", ".cursor/mcp.json", "~/.cursor/mcp.json", ".vscode/mcp.json", "${CLIENTINTEL_KEY}",
	}
}

var (
	plainDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+Z?)?$`)
	querySpan = regexp.MustCompile(`^[a-z_]+=[^ ]+$`)
)

// checkSpan looks up a piece of inline code.
func (v vocabulary) checkSpan(span string, own map[string]bool) error {
	bare := strings.TrimPrefix(span, "meta.")
	first, rest, nested := strings.Cut(bare, ".")
	switch {
	case slices.Contains(ownWords(), span):
		own[span] = true
		return nil
	case v.words[bare] || v.headers[span] || plainDate.MatchString(span):
		return nil
	case nested && v.words[first] && v.words[rest]:
		return nil
	case strings.HasPrefix(span, "/"):
		return v.checkPath(span)
	case querySpan.MatchString(span):
		return v.checkQuery(span, nil)
	}
	return fmt.Errorf("`%s` is a name that neither the contract nor this test knows", span)
}

// checkPath looks up a route, with its query if it has one.
func (v vocabulary) checkPath(text string) error {
	path, query, _ := strings.Cut(strings.TrimPrefix(text, prefix), "?")
	switch path {
	case "", "/", "/mcp", "/" + biGuide, "/" + agentGuide:
		return nil
	}
	parameters, known := v.parameters[path]
	if !known {
		return fmt.Errorf("%s is no route", text)
	}
	return v.checkQuery(query, parameters)
}

// checkQuery looks up the parameters of a query, among those of a route if they
// are given, and values that the contract lists.
func (v vocabulary) checkQuery(query string, of []string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	for name := range values {
		known := slices.Contains(of, name)
		if of == nil {
			for _, parameters := range v.parameters {
				known = known || slices.Contains(parameters, name)
			}
		}
		if !known {
			return fmt.Errorf("%s is no parameter in %q", name, query)
		}
		if value := values.Get(name); (name == "surface" || name == "type") && !v.words[value] {
			return fmt.Errorf("%s has no value %q", name, value)
		}
	}
	return nil
}

// Every name in running text is one of the contract's or one of our own.
func TestGuides_EveryNameExists(t *testing.T) {
	t.Parallel()
	v := readVocabulary(t)
	used := map[string]bool{}
	for guide, markdown := range guideSources() {
		_, prose := mustBlocks(t, guide, markdown)
		for i, line := range prose {
			for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
				if err := v.checkSpan(span[1], used); err != nil {
					t.Errorf("%s:%d: %v", guide, i+1, err)
				}
			}
		}
	}
	for _, word := range ownWords() {
		if !used[word] {
			t.Errorf("no guide uses `%s` any more", word)
		}
	}
}

func guideSources() map[string]string {
	return map[string]string{biGuide: string(openapi.BIGuide("")), agentGuide: string(openapi.AgentGuide(""))}
}

var (
	writtenPath = regexp.MustCompile(`/api/client/v1[A-Za-z0-9/{}_.-]*(?:\?[^"'\s]*)?`)
	clientCall  = regexp.MustCompile(`client\.(?:get|pages|walk)\("([^"]+)"( \+ [a-z]+)?((?:[^()]|\([^()]*\))*)\)`)
	toolCall    = regexp.MustCompile(`call\("([a-z_]+)"((?:[^()]|\([^()]*\))*)\)`)
	keyword     = regexp.MustCompile(`[(,] *([a-z_]+)=`)
	snakeCase   = regexp.MustCompile(`[a-z]+(?:_[a-z]+)+`)
	quotedName  = regexp.MustCompile(`["']([a-z]+(?:_[a-z]+)+)["']`)
)

// Blocks are run; what runs may still be a route or a filter that happens to
// answer. So their names are looked up as well.
func TestGuides_EveryNameInABlockExists(t *testing.T) {
	t.Parallel()
	v := readVocabulary(t)
	// Quoted in blocks, and no names of the contract.
	own := map[string]bool{"nps_group": false, placeholder: false}
	for name := range dltSettings() {
		own[name] = false
	}
	for _, name := range []string{
		"promptString", "mcp_servers", "authorization_token", "mcp_toolset", "mcp_server_name", "server_label", "server_url", "require_approval",
	} {
		own[name] = false
	}
	paths, calls, names := 0, 0, 0
	for guide, markdown := range guideSources() {
		blocks, _ := mustBlocks(t, guide, markdown)
		for _, b := range blocks {
			if b.tag == "text" {
				continue
			}
			for _, path := range writtenPath.FindAllString(b.text, -1) {
				paths++
				// The wrong filter that the guide shows being refused.
				if err := v.checkPath(strings.TrimSuffix(path, "?campaigns_id=1")); err != nil {
					t.Errorf("%s: %v", b, err)
				}
			}
			for _, call := range clientCall.FindAllStringSubmatch(b.text, -1) {
				calls++
				route := call[1]
				if call[2] != "" && route == "/interviews/" {
					route += "{id}"
				} else if call[2] != "" {
					continue // the loader's tables, which are run
				}
				checkKeywords(t, b, v.parameters, route, call[3])
			}
			for _, call := range toolCall.FindAllStringSubmatch(b.text, -1) {
				calls++
				checkKeywords(t, b, v.parameters, toolRoutes()[call[1]], call[2])
			}
			if b.tag == "markdown" {
				for _, name := range snakeCase.FindAllString(b.text, -1) {
					names++
					if !v.words[name] {
						t.Errorf("%s: %q is no name of the contract", b, name)
					}
				}
			}
			for _, name := range quotedName.FindAllStringSubmatch(b.text, -1) {
				names++
				if _, ours := own[name[1]]; ours {
					own[name[1]] = true
				} else if !v.words[name[1]] {
					t.Errorf("%s: %q is a name that neither the contract nor this test knows", b, name[1])
				}
			}
		}
	}
	if paths < 10 || calls < 15 || names < 40 {
		t.Errorf("found only %d paths, %d calls and %d names", paths, calls, names)
	}
	for name, used := range own {
		if !used && strings.Contains(name, "_") {
			t.Errorf("no block uses %q any more", name)
		}
	}
}

func checkKeywords(t *testing.T, b block, parameters map[string][]string, route, arguments string) {
	t.Helper()
	known, ok := parameters[route]
	if !ok {
		t.Errorf("%s: %q is no route", b, route)
	}
	for _, k := range keyword.FindAllStringSubmatch(arguments, -1) {
		if !slices.Contains(known, k[1]) {
			t.Errorf("%s: %s has no parameter %s", b, route, k[1])
		}
	}
}

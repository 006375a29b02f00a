package verify_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/internal/verify"
)

const api = "/api/client/v1"

// run verifies the input; an empty address is not given.
func run(t *testing.T, input, address string) *verify.Result {
	t.Helper()
	var request *verify.Request
	var err error
	if address != "" {
		request, err = verify.ParseRequest(address)
		require.NoError(t, err)
	}
	result, err := verify.Verify(strings.NewReader(input), request)
	require.NoError(t, err, input)
	return result
}

// with lists the checks with an outcome in the report of responses.
func with(t *testing.T, result *verify.Result, o verify.Outcome, responses ...int) []string {
	t.Helper()
	i := slices.IndexFunc(result.Reports, func(r *verify.Report) bool { return slices.Equal(r.Responses, responses) })
	if i < 0 {
		t.Fatalf("there is no report of %v, only %+v", responses, result.Reports)
	}
	names := []string{}
	for _, c := range result.Reports[i].Checks {
		if c.Outcome == o {
			names = append(names, c.Name)
		}
	}
	return names
}

func wantNoFailure(t *testing.T, result *verify.Result, what string) {
	t.Helper()
	for _, r := range result.Reports {
		check.NoError(t, r.Err(), what, r.Of, r.Responses)
	}
}

// recording saves what a server answers.
type recording struct {
	srv    *apitest.Server
	key    string
	client uuid.UUID
}

func record(t *testing.T, client string) (*recording, *apitest.Seed) {
	t.Helper()
	srv, seed := apitest.Start(t)
	campaign := seed.Campaign(t, client, apitest.Fields{"slug": "spring", "display_name": "Spring & Söhne"})
	seed.Campaign(t, client, apitest.Fields{"created_at": nil})
	seed.Campaign(t, client, apitest.Fields{"created_at": nil})
	for i := range 7 {
		fields := apitest.Fields{"created_at": apitest.At("2026-03-01").AddDate(0, 0, i/3), "status": []string{"completed", "analyzed"}[i%2]}
		if i > 3 {
			fields["campaign_id"] = campaign
		}
		seed.Interview(t, client, fields)
	}
	for range 3 {
		seed.SynthesisDocument(t, client, nil)
	}
	key := srv.Issue(t, apikey.Request{Client: client, Name: "verify", Scopes: auth.All()}).Key
	return &recording{srv: srv, key: key, client: seed.Clients[client]}, seed
}

// get is the body of one answer.
func (r *recording) get(t *testing.T, path string) string {
	t.Helper()
	return string(r.srv.Get(t, api+path, r.key).WantStatus(t, 200).Body)
}

// wrapped is the same beside its request.
func wrapped(path, body string) string {
	request, _ := json.Marshal(api + path)
	return fmt.Sprintf(`{"request": %s, "response": %s}`, request, body)
}

// walk is every page of a list with the path it was asked for by.
func (r *recording) walk(t *testing.T, path string, limit int) (paths, bodies []string) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	next := fmt.Sprintf("%s%slimit=%d", path, separator, limit)
	for {
		body := r.get(t, next)
		paths, bodies = append(paths, next), append(bodies, body)
		cursor := cursorOf(t, body)
		if cursor == "" {
			return paths, bodies
		}
		next = fmt.Sprintf("%s%slimit=%d&starting_after=%s", path, separator, limit, url.QueryEscape(cursor))
	}
}

// Everything that the server answers holds, with or without the request, and
// with it nothing of a basis is left unchecked.
func TestVerify_TheServersAnswersHold(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"globex", "acme"} { // canonical, legacy
		r, seed := record(t, client)
		ids := idsOf(t, r.get(t, "/interviews"))
		saved := seed.SavedBasis(t, client, []uuid.UUID{uuid.MustParse(ids[1]), uuid.MustParse(ids[0])}, nil)
		seed.PortalDocument(t, client, apitest.Fields{"measurement_snapshot_id": saved})
		seed.PortalDocument(t, client, nil)
		for _, path := range []string{
			"/interviews", "/interviews?status=analyzed", "/interviews?date_from=2026-03-02T00:00:00%2B00:00&limit=1", "/interviews?campaign_id=nothing",
			"/interviews/" + strings.ToUpper(ids[0]), "/campaigns", "/campaigns?limit=1", "/synthesis?type=home",
			"/synthesis?surface=portal", "/synthesis?surface=portal&type=playbook",
			"/analytics/interviews?date_from=2026-02-01&date_to=2026-03-31", "/analytics/interviews?campaign=spring&date_from=2026-02-01",
			"/intelligence/search?q=DELIVERY", "/intelligence/search?q=delivery&limit=2", "/intelligence/search?q=nowhere+to+be+found",
		} {
			body := r.get(t, path)
			wantNoFailure(t, run(t, body, ""), path+" alone")
			wantNoFailure(t, run(t, body, "https://example.com"+api+path), path+" with --url")
			v := run(t, wrapped(path, body), "")
			wantNoFailure(t, v, path)
			if skipped := with(t, v, verify.Skipped, 1); slices.Contains(skipped, "scope_hash") {
				t.Errorf("%s: not checked: %v", path, skipped)
			}
		}
	}
}

func idsOf(t *testing.T, body string) []string {
	t.Helper()
	var list struct{ Data []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(body), &list))
	ids := make([]string, len(list.Data))
	for i, one := range list.Data {
		ids[i] = one.ID
	}
	return ids
}

package clientintel_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	clientintel "github.com/clientintel/clientintel/openapi/clients/go"
	"github.com/clientintel/clientintel/openapi/clients/go/contract"
)

func open(t *testing.T, key string) *clientintel.Client {
	t.Helper()
	c, err := clientintel.New(clientintel.Settings{BaseURL: baseURL, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A walk is the same whatever its page size, ends when its caller has seen enough,
// and goes on from its cursor without missing a row.
func TestInterviews_AreWalkedWhole(t *testing.T) {
	t.Parallel()
	c := open(t, key)
	var want []string
	for i := range 12 {
		want = append(want, fmt.Sprintf("00000000-0000-4000-8000-0000000000%02d", i))
	}
	read := func(params contract.ListInterviewsParams, most int) (ids []string, cursor string) {
		walk := c.Interviews(t.Context(), params)
		for interview, err := range walk.Rows() {
			if err != nil {
				t.Fatal(err)
			}
			if ids = append(ids, interview.ID.String()); len(ids) == most {
				break
			}
		}
		return ids, walk.Cursor
	}
	for _, size := range []int{0, 1, 5, 11, 12, 13} {
		params := contract.ListInterviewsParams{}
		if size > 0 {
			params.Limit = &size
		}
		if got, _ := read(params, -1); !slices.Equal(got, want) {
			t.Errorf("page size %d: %v", size, got)
		}
		first, cursor := read(params, 7)
		if len(first) != 7 {
			t.Errorf("page size %d: %v", size, first)
		}
		whole := 0 // rows of the pages before the one that the seventh is on
		if cursor != "" {
			params.StartingAfter, whole = &cursor, 6/size*size
		}
		if rest, _ := read(params, -1); !slices.Equal(rest, want[whole:]) {
			t.Errorf("page size %d, after %d rows: %v", size, whole, rest)
		}
	}
}

func TestSynthesis_RowsAndBodies(t *testing.T) {
	t.Parallel()
	c, two := open(t, key), 2
	rows, bodies := 0, 0
	for row, err := range c.Synthesis(t.Context(), contract.ListSynthesisParams{Limit: &two}).Rows() {
		if err != nil || row.ContractVersion != "home_synthesis.v3" {
			t.Fatalf("%v, %+v", err, row)
		}
		rows++
	}
	for body, err := range c.Portal(t.Context(), contract.ListSynthesisParams{Limit: &two}).Rows() {
		if err != nil || body.Schema != "portal_home.v2" {
			t.Fatalf("%v, %+v", err, body)
		}
		bodies++
	}
	if rows != 3 || bodies != 3 {
		t.Errorf("%d rows, %d bodies", rows, bodies)
	}
}

func TestClient_OneAnswer(t *testing.T) {
	t.Parallel()
	c := open(t, key)
	id := uuid.MustParse("00000000-0000-4000-8000-000000000003")
	one, err := c.Interview(t.Context(), id)
	if err != nil || one.Data.Interview.ID != id {
		t.Errorf("%v, %+v", err, one)
	}
	from, to := "2026-01-01", "2026-12-31"
	series, err := c.Analytics(t.Context(), contract.GetInterviewAnalyticsParams{DateFrom: &from, DateTo: &to})
	if err != nil || series.Data.Total != 12 {
		t.Errorf("%v, total %d", err, series.Data.Total)
	}
	hits, err := c.Search(t.Context(), contract.SearchIntelligenceParams{Q: "LATE"})
	if err != nil || len(hits.Data) != 12 {
		t.Errorf("%v, %d hits", err, len(hits.Data))
	}
}

// Each refusal is known by errors.Is, and carries what to look it up by.
func TestError_RefusalsAreToldApart(t *testing.T) {
	t.Parallel()
	ctx, wrong := context.Background(), "yesterday"
	interviews := func(key string, params contract.ListInterviewsParams) error {
		for _, err := range open(t, key).Interviews(ctx, params).Rows() {
			return err
		}
		return nil
	}
	_, missing := open(t, key).Interview(ctx, uuid.New())
	for want, c := range map[error]struct {
		err  error
		code string
	}{
		clientintel.ErrUnauthenticated: {interviews("cik_nobody", contract.ListInterviewsParams{}), "invalid_api_key"},
		clientintel.ErrMissingScope:    {interviews(narrowKey, contract.ListInterviewsParams{}), "insufficient_scope"},
		clientintel.ErrInvalidRequest:  {interviews(key, contract.ListInterviewsParams{DateFrom: &wrong}), "invalid_parameter"},
		clientintel.ErrInvalidCursor:   {interviews(key, contract.ListInterviewsParams{StartingAfter: &wrong}), "invalid_cursor"},
		clientintel.ErrNotFound:        {missing, "not_found"},
	} {
		var refused *clientintel.Error
		if !errors.Is(c.err, want) || !errors.As(c.err, &refused) || refused.Code != c.code || refused.RequestID == "" || refused.Message == "" {
			t.Errorf("%v: %+v", want, c.err)
		}
		if errors.Is(c.err, clientintel.ErrRateLimited) || errors.Is(c.err, clientintel.ErrUnavailable) {
			t.Errorf("%v is taken for another refusal", c.err)
		}
		if text := c.err.Error(); !strings.Contains(text, refused.Message) || !strings.Contains(text, refused.RequestID) {
			t.Errorf("the error reads %q, without %q or %q", text, refused.Message, refused.RequestID)
		}
	}
}

// A redirect is an error: following it would take the key elsewhere.
func TestClient_FollowsNoRedirect(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the key was taken to %s", r.URL)
	}))
	t.Cleanup(elsewhere.Close)
	moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
	t.Cleanup(moved.Close)
	own := &http.Client{}
	for name, sender := range map[string]*http.Client{"the client's": nil, "the caller's": own} {
		c, err := clientintel.New(clientintel.Settings{BaseURL: moved.URL, Key: key, HTTPClient: sender})
		if err != nil {
			t.Fatal(err)
		}
		var refused *clientintel.Error
		if _, err := c.Interview(t.Context(), uuid.New()); !errors.As(err, &refused) || refused.Status != http.StatusFound {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if own.CheckRedirect != nil {
		t.Error("the caller's own is changed")
	}
}

// A page that promises more without a new cursor ends the walk with an error.
func TestWalk_EndsWithoutANewCursor(t *testing.T) {
	t.Parallel()
	for _, next := range []string{"null", `""`, `"again"`} {
		pages := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			promised := next
			switch pages++; {
			case pages > 3:
				t.Errorf("next_cursor %s: page %d is asked for", next, pages)
				promised = "null"
			case r.URL.Query().Get("starting_after") == "":
				promised = `"second"`
			}
			_, _ = w.Write([]byte(`{"data":[],"meta":{"has_more":true,"next_cursor":` + promised + `}}`))
		}))
		c, err := clientintel.New(clientintel.Settings{BaseURL: server.URL, Key: "k"})
		if err != nil {
			t.Fatal(err)
		}
		var last error
		for _, last = range c.Interviews(t.Context(), contract.ListInterviewsParams{}).Rows() {
		}
		if last == nil {
			t.Errorf("next_cursor %s: the walk ends as if it were whole", next)
		}
		server.Close()
	}
}

func TestNew_MistakesAreTold(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]clientintel.Settings{
		"BaseURL (CLIENTINTEL_URL) must be": {BaseURL: "intelligence.example.com", Key: "k"},
		"set CLIENTINTEL_KEY":               {BaseURL: "https://x.example"},
		"is no API key":                     {BaseURL: "https://x.example", Key: "a\nb"},
	} {
		if _, err := clientintel.New(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The address serves with and without the API's path, and a setting that is missing is named.
func TestNew_SettingsFromTheEnvironment(t *testing.T) {
	for _, suffix := range []string{"", "/", "/api/client/v1", "/api/client/v1/"} {
		t.Setenv("CLIENTINTEL_URL", baseURL+suffix)
		t.Setenv("CLIENTINTEL_KEY", key)
		c, err := clientintel.New(clientintel.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Analytics(t.Context(), contract.GetInterviewAnalyticsParams{}); err != nil {
			t.Errorf("%q: %v", suffix, err)
		}
	}
	for _, name := range []string{"CLIENTINTEL_KEY", "CLIENTINTEL_URL"} {
		t.Setenv(name, "")
		if _, err := clientintel.New(clientintel.Settings{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is missing: %v", name, err)
		}
	}
}

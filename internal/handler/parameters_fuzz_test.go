package handler

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/openapi"
)

// The parameters' whole check, the contract's and the handlers' own, against a
// model that reads the contract anew: what the model refuses is refused, by a
// 400 that names a culprit; what it takes is refused at most for what a schema
// cannot say; and what is accepted means the same in every spelling.
func FuzzCheckRequest(f *testing.F) {
	server := newFuzzedServer(f)
	for _, query := range []string{
		"", "limit=5", "limit=5&limit=5", "limit=0", "limit=00000000001", "limit=%2B5", "status=", "status", "=x", "&&", "a%zz=1", "a;b=1", "status=a;b", "status=%zz", "starting_after=%", "limit=%zz&updated_since=1", "q=a;+b&x=%",
		"starting_after=AQE&limit=1", "date_from=2026-03-01&date_to=2026-02-01", "date_to=9999-12-31T23:59:59.999999Z",
		"date_from=2026-03-01T10:20:30.123456789%2B02:00", "day=2026-03-01&type=daily_feed", "surface=portal&type=lane&lane=a&limit=200",
		"surface=portal&type=daily_feed&date_from=2026-03-01", "updated_since=2026-03-01T00:00", "updated_since=%", "type=campaign&campaign_id=%ff", "type=home&day=x",
		"q=%C3%89t%C3%A9&limit=3", "q=%00", "q=+", "q=" + strings.Repeat("%F0%9F%98%80", 501), "campaign=\xff", "lane_id=" + strings.Repeat("a", 36),
		"campaign_id=00000000-0000-0000-0000-000000000000&status=x", "Limit=1", strings.Repeat("\xf4", 2000), strings.Repeat("%f4", 2000) + "=1",
		"limit=" + strings.Repeat("\U000e0001", 500), "date_from=" + strings.Repeat("\xff", 500), strings.Repeat("&", 2000),
	} {
		for i := range server.paths {
			f.Add(uint8(i), query)
		}
	}
	f.Fuzz(func(t *testing.T, operation uint8, query string) {
		path := server.paths[int(operation)%len(server.paths)]
		wrong, spelled := server.model(path, query)
		as, err := server.parse(t, path, query)
		if wrong == nil && err == nil {
			again, err := server.parse(t, path, spelled.Encode())
			if err != nil || again != as {
				t.Fatalf("%s?%s is taken as %s, and spelled %s as %s, %v", path, query, as, spelled.Encode(), again, err)
			}
			return
		}
		if err == nil {
			t.Fatalf("%s?%s is taken; it breaks the contract in %q", path, query, wrong)
		}
		var refused *apierror.Error
		if !errors.As(err, &refused) || refused.Kind != apierror.KindInvalid || refused.Code == "" || refused.Message == "" {
			t.Fatalf("%s?%s: %v is no refusal of a parameter", path, query, err)
		}
		if !utf8.ValidString(refused.Details) || len(refused.Details) > 1000 {
			t.Fatalf("%s?%s: details are %q", path, query, refused.Details)
		}
		if wrong == nil { // then it is what a schema cannot say, of something given
			for name := range spelled {
				wrong = append(wrong, name)
			}
		}
		if !slices.ContainsFunc(wrong, func(name string) bool { return names(refused.Details, name) }) {
			t.Fatalf("%s?%s: details %q name none of %q", path, query, refused.Details, wrong)
		}
	})
}

// names reports whether details name a parameter; what must be escaped is quoted,
// and cut short.
func names(details, name string) bool {
	return strings.Contains(details, apierror.Quote(name)) || name != "" && strings.Contains(details, name)
}

// fuzzedServer is the server up to the handlers' parsers, and the contract.
type fuzzedServer struct {
	handlers *Handlers
	router   *chi.Mux
	paths    []string
	params   map[string]map[string]parameter // by path and name
}

// parameter is what the model reads of the contract.
type parameter struct {
	Ref      string `json:"$ref"`
	Name, In string
	Required bool
	Example  any
	Schema   struct {
		Ref       string `json:"$ref"`
		Type      string
		Enum      []string
		MinLength int
		MaxLength *int
		Minimum   int
		Maximum   int
	}
}

func newFuzzedServer(t testing.TB) *fuzzedServer {
	t.Helper()
	contract, err := middleware.LoadContract()
	require.NoError(t, err)
	handlers := New(Readers{Cursors: page.NewCodec([]byte(strings.Repeat("k", 32)))})
	a := &fuzzedServer{handlers: handlers, params: map[string]map[string]parameter{}}
	a.router = chi.NewRouter()
	a.router.NotFound(func(_ http.ResponseWriter, r *http.Request) { parsedOf(r).err = apierror.NotFound })
	a.router.Group(func(r chi.Router) {
		r.Use(contract.Name, contract.Check)
		api.HandlerWithOptions(&parsers{handlers}, api.ChiServerOptions{BaseRouter: r, ErrorHandlerFunc: middleware.WriteError})
	})
	text := openapi.JSON()
	var doc struct {
		Paths map[string]struct {
			Get struct{ Parameters []parameter }
		}
		Components struct {
			Parameters map[string]parameter
			Schemas    map[string]json.RawMessage
		}
	}
	require.NoError(t, json.Unmarshal(text, &doc))
	for path, item := range doc.Paths {
		if strings.HasSuffix(path, ".json") {
			continue
		}
		path = strings.Replace(path, "{id}", "9c4d2a7e-0f63-4b1d-8e25-6a7b8c9d0e1f", 1)
		a.paths, a.params[path] = append(a.paths, path), map[string]parameter{}
		for _, p := range item.Get.Parameters {
			if p.Ref != "" {
				p = doc.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]]
			}
			if ref := p.Schema.Ref; ref != "" {
				require.NoError(t, json.Unmarshal(doc.Components.Schemas[ref[strings.LastIndexByte(ref, '/')+1:]], &p.Schema))
			}
			if p.In == "query" {
				a.params[path][p.Name] = p
			}
		}
	}
	slices.Sort(a.paths)
	if len(a.paths) != 6 || len(a.params[middleware.Prefix+"/synthesis"]) != 12 {
		t.Fatalf("the model reads %d operations and %d parameters of synthesis from the contract", len(a.paths), len(a.params[middleware.Prefix+"/synthesis"]))
	}
	return a
}

// model is every parameter in which a query breaks the contract, and the query
// taken apart.
func (a *fuzzedServer) model(path, query string) ([]string, url.Values) {
	var wrong []string
	query = strings.ReplaceAll(query, ";", "%3B") // which net/url refuses, and RFC 3986 allows
	values, err := url.ParseQuery(query)
	if err != nil { // any other of them may be told before it
		wrong = append(wrong, "query string")
		for pair := range strings.SplitSeq(query, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if decoded, err := url.QueryUnescape(name); err == nil {
				name = decoded
			}
			wrong = append(wrong, name)
		}
		return wrong, nil
	}
	for name, given := range values {
		p, known := a.params[path][name]
		if !known || len(given) != 1 || !p.takes(given[0]) {
			wrong = append(wrong, name)
		}
	}
	for name, p := range a.params[path] {
		if p.Required && !values.Has(name) {
			wrong = append(wrong, name)
		}
	}
	return wrong, values
}

func (p parameter) takes(value string) bool {
	length := utf8.RuneCountInString(value)
	switch {
	case value == "" || !utf8.ValidString(value) || strings.Contains(value, "\x00"):
		return false
	case p.Schema.Type == "integer":
		n, err := strconv.Atoi(value)
		return err == nil && strconv.Itoa(n) == value && n >= p.Schema.Minimum && n <= p.Schema.Maximum
	case len(p.Schema.Enum) > 0:
		return slices.Contains(p.Schema.Enum, value)
	}
	return length >= p.Schema.MinLength && (p.Schema.MaxLength == nil || length <= *p.Schema.MaxLength)
}

// parse validates and parses the parameters of a request, and returns one text
// for one meaning.
func (a *fuzzedServer) parse(t *testing.T, path, query string) (string, error) {
	t.Helper()
	target, err := url.Parse(path)
	require.NoError(t, err, path)
	target.RawQuery = query
	n := &parsed{}
	caller := auth.Caller{ClientID: uuid.MustParse("11111111-1111-4111-8111-111111111111"), Scopes: auth.All()}
	r := &http.Request{Method: http.MethodGet, URL: target, Header: http.Header{}, Body: http.NoBody}
	record := &middleware.Record{}
	r = withParsed(r.WithContext(middleware.WithRecord(auth.WithCaller(r.Context(), caller), record)), n)
	w := httptest.NewRecorder()
	a.router.ServeHTTP(w, r)
	if refused, ok := errors.AsType[*apierror.Error](record.Err); ok && refused.Kind != apierror.KindInternal {
		return "", refused
	}
	switch {
	case w.Body.Len() > 0:
		t.Fatalf("%s?%s passed the validation, and generated code refused it: %s", path, query, w.Body)
	case n.as == "" && n.err == nil:
		t.Fatalf("%s?%s passed the validation and reached no handler", path, query)
	}
	return n.as, n.err
}

// place is where every cursor here goes on from.
var place = page.Position{Times: []time.Time{time.Unix(0, 0), time.Unix(1, 0)}, ID: uuid.Nil}

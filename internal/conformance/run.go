package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/openapi"
)

// Options of a run.
type Options struct {
	// BaseURL is the deployment's address, without the path of the API.
	BaseURL string
	// Keys are tested, each of any client and scopes.
	Keys []string
	// MaxRequests bounds all requests, those without a key included.
	MaxRequests int
	// MaxWait is the longest Retry-After that is honoured, once in a run.
	MaxWait time.Duration
	// Show is called with each finished check, Progress with the number of
	// requests sent and the check that begins.
	Show     func(Check)
	Progress func(requests int, doing string)
}

// Check reports a mistake in the options.
func (o Options) Check() error {
	u, err := url.Parse(o.BaseURL)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return fmt.Errorf("--base-url must be an address such as https://intelligence.example.com, not %q", o.BaseURL)
	case strings.Contains(u.Path, prefix):
		return fmt.Errorf("--base-url must end before %s", prefix)
	case len(o.Keys) == 0:
		return errors.New("--key is needed: most of what is promised is promised to keys")
	case o.MaxRequests < 1:
		return errors.New("--max-requests must be at least 1")
	case o.MaxWait < 0:
		return errors.New("--max-wait must not be negative")
	}
	for i, key := range o.Keys {
		if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return fmt.Errorf("--key: the %d. is no key", i+1)
		}
	}
	return nil
}

// apiKey is a key under test, with what its responses showed.
type apiKey struct {
	label  string
	token  string
	client string
	// scopes holds whether the key has a scope; a scope that no response showed is absent.
	scopes map[auth.Scope]bool
	// interview is one that the key sees.
	interview string
	// last is the latest response: its quota is compared with the next one's.
	last *response
	// dropsByOne and largerDrops count by how much the quota fell from one to the next.
	dropsByOne, largerDrops int
}

// needs skips a check when the key lacks one of the scopes.
func (key *apiKey) needs(scopes []auth.Scope) error {
	for _, scope := range scopes {
		has, err := key.known(scope)
		if err != nil {
			return err
		}
		if !has {
			return skipf("the key lacks %s", scope)
		}
	}
	return nil
}

// known reports whether the key has the scope, and skips a check when no response
// showed it.
func (key *apiKey) known(scope auth.Scope) (bool, error) {
	has, known := key.scopes[scope]
	if !known {
		return false, skipf("whether the key has %s is not known", scope)
	}
	return has, nil
}

type run struct {
	o        Options
	contract *openapi3.T // the one that this program was built with
	router   routers.Router
	http     *http.Client
	// hasWaited is set when a Retry-After was honoured.
	hasWaited bool
	keys      []*apiKey
	promises  map[string]promiseResult // those that hold for all responses
	report    Report
}

// Run tests a deployment. An error means that no check could be made.
func Run(ctx context.Context, o Options) (Report, error) {
	if err := o.Check(); err != nil {
		return Report{}, err
	}
	contract, err := openapi.ValidationDocument()
	if err != nil {
		return Report{}, err
	}
	router, err := gorillamux.NewRouter(contract)
	if err != nil {
		return Report{}, fmt.Errorf("routing the contract: %w", err)
	}
	r := &run{o: o, contract: contract, router: router, promises: map[string]promiseResult{}}
	r.http = &http.Client{
		Timeout: 2 * time.Minute,
		// A redirect would carry the key elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	r.report = Report{BaseURL: strings.TrimRight(o.BaseURL, "/"), Checks: []Check{}}
	for i, key := range o.Keys {
		r.keys = append(r.keys, &apiKey{label: fmt.Sprintf("key %d", i+1), token: key, scopes: map[auth.Scope]bool{}})
	}
	if _, err := r.get(ctx, nil, "/openapi.json"); err != nil {
		return r.report, err
	}
	r.checkDocuments(ctx)
	r.checkWithoutKey(ctx)
	for _, key := range r.keys {
		r.checkScopes(ctx, key)
	}
	// Cheap checks come first, so that a small budget covers most.
	for _, key := range r.widestKeys() {
		r.checkRefusals(ctx, key)
		r.checkCursors(ctx, key)
		r.checkWalks(ctx, key)
	}
	for _, key := range r.keys {
		r.checkMCP(ctx, key)
	}
	if err := ctx.Err(); err != nil {
		return r.report, err
	}
	r.reportResponseChecks()
	return r.report, nil
}

// widestKeys is the key with most scopes of each client.
func (r *run) widestKeys() []*apiKey {
	var widest []*apiKey
	for _, key := range r.keys {
		i := slices.IndexFunc(widest, func(other *apiKey) bool { return other.client == key.client })
		switch {
		case key.client == "":
		case i < 0:
			widest = append(widest, key)
		case key.countScopes() > widest[i].countScopes():
			widest[i] = key
		}
	}
	if len(widest) == 0 {
		return r.keys[:1] // its checks are then reported as skipped
	}
	return widest
}

func (key *apiKey) countScopes() int {
	n := 0
	for _, has := range key.scopes {
		if has {
			n++
		}
	}
	return n
}

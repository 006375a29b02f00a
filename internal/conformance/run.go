package conformance

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/verify"
	"github.com/clientintel/clientintel/openapi"
)

// Options of a run.
type Options struct {
	// BaseURL is the deployment's address, with or without the path of the API.
	BaseURL string
	// Keys are tested, each of any client and scopes.
	Keys []string
	// MaxRequests bounds all requests, those without a key included.
	MaxRequests int
	// Show is called with each finished check.
	Show func(Check)
}

// apiKey is a key under test, with what its responses showed.
type apiKey struct {
	label  string
	token  string
	client string
	// scopes says whether the key has a scope; a scope that no response showed is absent.
	scopes map[auth.Scope]bool
	// interview is one that the key sees.
	interview string
	// last is the quota after the latest response.
	last *quota
}

// needs skips a check unless a response showed that the key has all scopes.
func (key *apiKey) needs(scopes []auth.Scope) error {
	for _, scope := range scopes {
		if !key.scopes[scope] {
			return skipf("the key is not known to have %s", scope)
		}
	}
	return nil
}

type run struct {
	o        Options
	contract *openapi3.T // the one that this program was built with
	router   routers.Router
	http     *http.Client
	keys     []*apiKey
	promises map[string]promiseResult // those that hold for all responses
	report   Report
}

// Run tests a deployment. An error means that no check could be made.
func Run(ctx context.Context, o Options) (Report, error) {
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
	base := strings.TrimSuffix(strings.TrimRight(o.BaseURL, "/"), verify.Prefix)
	r.report = Report{BaseURL: base, Checks: []Check{}}
	for i, key := range o.Keys {
		r.keys = append(r.keys, &apiKey{label: fmt.Sprintf("key %d", i+1), token: strings.TrimSpace(key), scopes: map[auth.Scope]bool{}})
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
	for _, key := range r.keys {
		r.checkRefusals(ctx, key)
		r.checkCursors(ctx, key)
		r.checkWalks(ctx, key)
		r.checkMCP(ctx, key)
	}
	if err := ctx.Err(); err != nil {
		return r.report, err
	}
	r.reportPromises()
	return r.report, nil
}

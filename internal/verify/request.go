package verify

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/basis"
)

// Prefix is what every route begins with.
const Prefix = "/api/client/v1"

// The routes, below it.
const (
	interviewsRoute = "/interviews"
	detailRoute     = "/interviews/{id}"
	campaignsRoute  = "/campaigns"
	synthesisRoute  = "/synthesis"
	analyticsRoute  = "/analytics/interviews"
	searchRoute     = "/intelligence/search"
)

// Request is the part of a request that determines the scope and the page.
type Request struct {
	basis.Scope        // without the client
	after       string // starting_after
	// shared is set when the request was given for all responses: it may be another page's.
	shared bool
}

// ParseRequest reads an address: whole, from the host's root, or below the prefix.
func ParseRequest(address string) (*Request, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is not the address of a request", address)
	}
	query, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, ";", "%3B")) // as the service reads it
	if err != nil {
		return nil, fmt.Errorf("%q has a query that cannot be read: %w", address, err)
	}
	_, path, found := strings.Cut(u.Path, Prefix)
	if !found {
		path = u.Path
	}
	r := &Request{Scope: basis.Scope{Route: path, Filters: map[string]string{}}, after: query.Get("starting_after")}
	for name := range query {
		if name != "starting_after" && name != "limit" {
			r.Filters[name] = query.Get(name)
		}
	}
	if id, found := strings.CutPrefix(path, interviewsRoute+"/"); found {
		r.Route, r.Filters["id"] = detailRoute, strings.ToLower(id)
	}
	if r.Route == searchRoute {
		// A search has one page, so its limit is part of its scope.
		r.Filters["limit"] = cmp.Or(query.Get("limit"), "50")
	}
	return r, nil
}

// hashFor is the hash of a client's scope, empty for a client that is no UUID.
func hashFor(client string, scope basis.Scope) string {
	var err error
	if scope.ClientID, err = uuid.Parse(client); err != nil {
		return ""
	}
	return scope.Hash()
}

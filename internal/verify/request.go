package verify

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

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

// request is the part of a request that determines the scope and the page.
type request struct {
	basis.Scope        // without the client
	after       string // starting_after
	// exact is set when the request was saved with the response. One from Verify's
	// url may be of another page.
	exact bool
}

// isExact reports whether it is known of which page the response is.
func (r *request) isExact() bool { return r != nil && r.exact }

// parseRequest reads an address: whole, from the host's root, or below the prefix.
func parseRequest(address string) (*request, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of a request", address)
	}
	query, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, ";", "%3B")) // as the service reads it
	if err != nil {
		return nil, fmt.Errorf("%q has a query that cannot be read: %w", address, err)
	}
	r := &request{Scope: basis.Scope{Filters: map[string]string{}}}
	path := u.Path
	if at := strings.Index(path, Prefix+"/"); at >= 0 {
		path = path[at+len(Prefix):]
	}
	switch path {
	case interviewsRoute, campaignsRoute, synthesisRoute, analyticsRoute, searchRoute:
		r.Route = path
	default:
		id, found := strings.CutPrefix(path, interviewsRoute+"/")
		if !found || id == "" || strings.Contains(id, "/") {
			return nil, fmt.Errorf("%q is no route of this API", path)
		}
		r.Route, r.Filters["id"] = detailRoute, strings.ToLower(id)
	}
	for name, given := range query {
		if len(given) != 1 {
			return nil, fmt.Errorf("%q has %s more than once", address, name)
		}
		switch name {
		case "starting_after":
			r.after = given[0]
		case "limit":
			// The search has one page, so its limit is part of its scope, as the server writes it.
			if r.Route == searchRoute {
				r.Filters[name] = given[0]
				if n, err := strconv.Atoi(given[0]); err == nil {
					r.Filters[name] = strconv.Itoa(n)
				}
			}
		default:
			r.Filters[name] = given[0]
		}
	}
	if r.Route == searchRoute && r.Filters["limit"] == "" {
		r.Filters["limit"] = "50"
	}
	return r, nil
}

// hashFor is the hash of a client's scope.
func hashFor(client string, scope basis.Scope) (string, error) {
	var err error
	scope.ClientID, err = parseUUID(client)
	return scope.Hash(), err
}

func (r *request) String() string {
	query := url.Values{}
	for name, value := range r.Filters {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return r.Route
	}
	return r.Route + "?" + query.Encode()
}

package verify

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/clientintel/clientintel/internal/measurement"
)

const prefix = "/api/client/v1"

// The routes, below the prefix.
const (
	interviewsRoute = "/interviews"
	detailRoute     = "/interviews/{id}"
	campaignsRoute  = "/campaigns"
	synthesisRoute  = "/synthesis"
	analyticsRoute  = "/analytics/interviews"
	searchRoute     = "/intelligence/search"
)

// request is what a response answered, as far as it decides the scope.
type request struct {
	route   string
	filters map[string]string
	after   string // starting_after
	// exact says that this very request was saved with the response. Otherwise
	// it may have asked for a later page.
	exact bool
}

// parseRequest reads an address: whole, from the host's root, or below the prefix.
func parseRequest(address string) (*request, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address of a request", address)
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, fmt.Errorf("%q has a query that cannot be read: %w", address, err)
	}
	r := &request{filters: map[string]string{}}
	path := u.Path
	if at := strings.Index(path, prefix+"/"); at >= 0 {
		path = path[at+len(prefix):]
	}
	switch path {
	case interviewsRoute, campaignsRoute, synthesisRoute, analyticsRoute, searchRoute:
		r.route = path
	default:
		id, found := strings.CutPrefix(path, interviewsRoute+"/")
		if !found || id == "" || strings.Contains(id, "/") {
			return nil, fmt.Errorf("%q is no route of this API", path)
		}
		r.route, r.filters["id"] = detailRoute, strings.ToLower(id)
	}
	for name, given := range query {
		if len(given) != 1 {
			return nil, fmt.Errorf("%q has %s more than once", address, name)
		}
		switch name {
		case "starting_after":
			r.after = given[0]
		case "limit":
			// Only the search is limited as a whole, so only there it is a filter.
			if r.route == searchRoute {
				r.filters[name] = plainNumber(given[0])
			}
		default:
			r.filters[name] = given[0]
		}
	}
	if r.route == searchRoute && r.filters["limit"] == "" {
		r.filters["limit"] = "50"
	}
	return r, nil
}

// plainNumber spells a number as the server does.
func plainNumber(text string) string {
	if n, err := strconv.Atoi(text); err == nil {
		return strconv.Itoa(n)
	}
	return text
}

func (r *request) scopeHash(client string) (string, error) {
	id, err := parseUUID(client)
	if err != nil {
		return "", err
	}
	return measurement.Scope{ClientID: id, Route: r.route, Filters: r.filters}.Hash(), nil
}

// whole tells whether the request asks for every interview.
func (r *request) whole() bool { return r.route == interviewsRoute && len(r.filters) == 0 }

func (r *request) String() string {
	query := url.Values{}
	for name, value := range r.filters {
		query.Set(name, value)
	}
	if len(query) == 0 {
		return r.route
	}
	return r.route + "?" + query.Encode()
}

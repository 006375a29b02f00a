package conformance

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/clientintel/clientintel/internal/auth"
)

// checkCursors tampers with a cursor in every way that must be refused.
func (r *run) checkCursors(ctx context.Context, key *apiKey) {
	from, scope := "/interviews", auth.ReadInterviewsMetadata
	other, otherScope := "/campaigns", auth.ReadCampaigns
	if !key.scopes[scope] {
		from, scope, other, otherScope = other, otherScope, "/synthesis", auth.ReadSynthesis
	}
	var cursor string
	r.check("cursors/issued", key, func() error {
		p, err := r.getPage(ctx, key, from+"?limit=1")
		if err != nil {
			return err
		}
		if p.decoded.Meta.NextCursor == nil {
			return skipf("%s has no second page", p)
		}
		cursor = *p.decoded.Meta.NextCursor
		return nil
	}, scope)
	refused := func(name string, key *apiKey, path string, allowed bool) {
		r.check("cursors/"+name, key, func() error {
			if cursor == "" || !allowed {
				return skipf("there is no cursor to try this with")
			}
			return r.wantError(ctx, key, path, http.StatusBadRequest, "invalid_cursor")
		})
	}
	after := func(c string) string { return "starting_after=" + url.QueryEscape(c) }
	refused("edited", key, from+"?"+after(edited(cursor)), true)
	refused("truncated", key, from+"?"+after(cursor[:len(cursor)/2]), true)
	refused("lengthened", key, from+"?"+after(cursor+"A"), true)
	refused("made_up", key, from+"?starting_after=abc", true)
	refused("too_long", key, from+"?starting_after="+strings.Repeat("A", 2000), true)
	refused("other_route", key, other+"?"+after(cursor), key.scopes[otherScope])
	refused("other_filters", key, from+"?date_from=2001-01-01&"+after(cursor), true)
	for _, another := range r.keys {
		if another.client != "" && another.client != key.client && another.scopes[scope] {
			refused("other_client", another, from+"?"+after(cursor), true)
			break
		}
	}
}

// edited is the cursor with another letter in its middle.
func edited(cursor string) string {
	if cursor == "" {
		return ""
	}
	i := len(cursor) / 2
	letter := "A"
	if cursor[i] == 'A' {
		letter = "B"
	}
	return cursor[:i] + letter + cursor[i+1:]
}

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
	const list, scope = "/interviews?", auth.ReadInterviewsMetadata
	var cursor string
	r.check("cursors/issued", key, func() error {
		answer, err := r.getAnswer(ctx, key, list+"limit=1")
		if err != nil {
			return err
		}
		if answer.Meta.NextCursor == nil {
			return skipf("the key sees less than two interviews")
		}
		cursor = *answer.Meta.NextCursor
		return nil
	}, scope)
	refused := func(name string, key *apiKey, path, cursor string, needed auth.Scope) {
		r.check("cursors/"+name, key, func() error {
			if cursor == "" {
				return skipf("there is no cursor to try this with")
			}
			return r.wantError(ctx, key, path+"starting_after="+url.QueryEscape(cursor), http.StatusBadRequest, "invalid_cursor")
		}, needed)
	}
	refused("edited", key, list, strings.ToUpper(cursor), scope)
	refused("truncated", key, list, cursor[:len(cursor)/2], scope)
	refused("made_up", key, list, "abc", scope)
	refused("too_long", key, list, strings.Repeat("A", 2000), scope)
	refused("other_route", key, "/campaigns?", cursor, auth.ReadCampaigns)
	refused("other_filters", key, list+"date_from=2001-01-01&", cursor, scope)
	for _, another := range r.keys {
		if cursor != "" && another.client != "" && another.client != key.client && another.scopes[scope] {
			refused("other_client", another, list, cursor, scope)
			break
		}
	}
}

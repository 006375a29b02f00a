package conformance

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/clientintel/clientintel/internal/access"
)

// askCursors tampers with a cursor in every way that must be refused.
func (r *run) askCursors(ctx context.Context, s *subject) {
	var cursor string
	from, other := "/interviews", "/campaigns"
	otherScope := access.ReadCampaigns
	if !s.has(access.ReadInterviewsMetadata) {
		from, other, otherScope = "/campaigns", "/synthesis", access.ReadSynthesis
	}
	r.check("cursors/issued", s, func() error {
		scope := access.ReadInterviewsMetadata
		if from == "/campaigns" {
			scope = access.ReadCampaigns
		}
		if err := s.needs(scope); err != nil {
			return err
		}
		a, err := r.wire.get(ctx, s, from+"?limit=1")
		if err != nil {
			return err
		}
		p, err := a.page()
		if err != nil {
			return err
		}
		if p.Meta.NextCursor == nil {
			return skipf("%s has no second page", a)
		}
		cursor = *p.Meta.NextCursor
		return nil
	})
	refused := func(name string, path string, allowed bool) {
		r.check("cursors/"+name, s, func() error {
			if cursor == "" || !allowed {
				return skipf("there is no cursor to try this with")
			}
			a, err := r.wire.get(ctx, s, path)
			if err != nil {
				return err
			}
			return a.wantError(http.StatusBadRequest, "invalid_cursor", "")
		})
	}
	after := func(c string) string { return "starting_after=" + url.QueryEscape(c) }
	refused("edited", from+"?"+after(edited(cursor)), true)
	refused("truncated", from+"?"+after(cursor[:len(cursor)/2]), true)
	refused("lengthened", from+"?"+after(cursor+"A"), true)
	refused("made_up", from+"?starting_after=abc", true)
	refused("too_long", from+"?starting_after="+strings.Repeat("A", 2000), true)
	refused("other_route", other+"?"+after(cursor), s.has(otherScope))
	refused("other_filters", from+"?date_from=2001-01-01&"+after(cursor), true)
	for _, stranger := range r.subjects {
		scope := access.ReadInterviewsMetadata
		if from == "/campaigns" {
			scope = access.ReadCampaigns
		}
		if stranger.client != "" && stranger.client != s.client && stranger.has(scope) {
			r.check("cursors/other_client", stranger, func() error {
				if cursor == "" {
					return skipf("there is no cursor to try this with")
				}
				a, err := r.wire.get(ctx, stranger, from+"?"+after(cursor))
				if err != nil {
					return err
				}
				return a.wantError(http.StatusBadRequest, "invalid_cursor", "")
			})
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

package httpapi

import (
	"context"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// ResponseLimits bounds the response to an in-process call, which an agent reads whole.
// Zero means no limit.
type ResponseLimits struct {
	// PageBytes is the size of a page's items. The first one may be larger.
	PageBytes int
	// MaxIDs is how many ids a basis may list, and MaxRows how many rows analytics.
	// A longer list is left out.
	MaxIDs, MaxRows int
}

// limitFlags are the arguments by which a call lifts a limit.
var limitFlags = map[string]func(*ResponseLimits){
	"include_basis": func(l *ResponseLimits) { l.MaxIDs = 0 },
	"include_rows":  func(l *ResponseLimits) { l.MaxRows = 0 },
}

// inProcess is what an in-process call has that a query string cannot express.
type inProcess struct {
	limits ResponseLimits
	// flags are the names of the call's limit flags.
	flags []string
	// invalid describes the arguments that no query could carry, by name.
	invalid map[string]string
}

// limitsOf returns the limits of a call. An HTTP request has none.
func limitsOf(ctx context.Context) ResponseLimits {
	if call := recordFrom(ctx).call; call != nil {
		return call.limits
	}
	return ResponseLimits{}
}

// trimBasis leaves a basis out that lists more ids than the limit.
func (l ResponseLimits) trimBasis(p *measurement.Provenance) {
	if l.MaxIDs > 0 && p.Basis != nil && p.Basis.SourceCount > l.MaxIDs {
		p.Basis = nil
	}
}

// trimSavedBases does the same for the saved bases of bodies.
func (l ResponseLimits) trimSavedBases(bodies []synthesis.Body) {
	for _, body := range bodies {
		if l.MaxIDs > 0 && body.Integrity != nil && body.Integrity.Saved != nil {
			body.Integrity.Saved.Omitted = len(body.Integrity.Saved.SourceIDs) > l.MaxIDs
		}
	}
}

// pageOf returns the size limit and the cursor function of a list's page.
func (s *Server) pageOf(ctx context.Context, asked page.Request, next page.Next) render.Page {
	return render.Page{MaxBytes: limitsOf(ctx).PageBytes, Next: func(kept int) *string { return s.nextCursor(asked, next(kept)) }}
}

package httpapi

import (
	"context"

	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/render"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// Budget bounds what an answer holds. An agent pays for all that it reads. Zero
// bounds nothing.
type Budget struct {
	// PageBytes is the size of a page's items. The first one may be larger.
	PageBytes int
	// MaxIDs is how many ids a basis may list, and MaxRows how many rows analytics.
	// A longer list is left out.
	MaxIDs, MaxRows int
}

// budgetFlags are the arguments by which a call lifts a bound.
var budgetFlags = map[string]func(*Budget){
	"include_basis": func(b *Budget) { b.MaxIDs = 0 },
	"include_rows":  func(b *Budget) { b.MaxRows = 0 },
}

// inProcess is what a call has beyond a request's query.
type inProcess struct {
	budget Budget
	// flags are the names of the call's budget flags.
	flags []string
	// invalid describes the arguments that no query could carry, by name.
	invalid map[string]string
}

// budgetOf is the budget of a call, no bound for a request over HTTP.
func budgetOf(ctx context.Context) Budget {
	if call := recordFrom(ctx).call; call != nil {
		return call.budget
	}
	return Budget{}
}

// trimBasis leaves a basis out that lists more ids than the budget has.
func (b Budget) trimBasis(p *measurement.Provenance) {
	if b.MaxIDs > 0 && p.Basis != nil && p.Basis.SourceCount > b.MaxIDs {
		p.Basis = nil
	}
}

// trimSavedBases does the same for the saved bases of bodies.
func (b Budget) trimSavedBases(bodies []synthesis.Body) {
	for _, body := range bodies {
		if b.MaxIDs > 0 && body.Integrity != nil && body.Integrity.Saved != nil {
			body.Integrity.Saved.Omitted = len(body.Integrity.Saved.SourceIDs) > b.MaxIDs
		}
	}
}

// pageOf is how a page of a list ends.
func (s *Server) pageOf(ctx context.Context, asked page.Request, next page.Next) render.Page {
	return render.Page{MaxBytes: budgetOf(ctx).PageBytes, Next: func(kept int) *string { return s.nextCursor(asked, next(kept)) }}
}

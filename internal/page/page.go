package page

import (
	"time"

	"github.com/google/uuid"
)

// DefaultLimit is the size of a page that names none, as in the contract.
const DefaultLimit = 50

// Request says which page of a list is asked for.
type Request struct {
	Limit int
	After *Position // nil on the first page
	// Scope is what the list's cursors are bound to.
	Scope Scope
}

// Start is the position that the page starts after. The first page's is before every
// row: at these times, which are later than any row's, with the greatest id.
func (r Request) Start(beforeFirst ...time.Time) Position {
	if r.After != nil {
		return *r.After
	}
	return Position{Times: beforeFirst, ID: uuid.Max}
}

// LookAhead is how many rows to read: the one beyond the page only proves that
// another page exists.
func (r Request) LookAhead() int32 { return int32(r.Limit) + 1 }

// Next is the position that the next page starts after, if this one ends after so many
// of its rows; nil where no row follows.
type Next func(kept int) *Position

// Trim cuts rows read with LookAhead down to the page.
func Trim[T any](rows []T, r Request, positionOf func(T) Position) ([]T, Next) {
	return rows[:min(len(rows), r.Limit)], func(kept int) *Position {
		if kept == len(rows) {
			return nil
		}
		return new(positionOf(rows[kept-1]))
	}
}

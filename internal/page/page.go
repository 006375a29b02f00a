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

// Start is the position after which the page starts: the cursor's or, on the first page,
// beforeFirst, which is later than every row, with the greatest id.
func (r Request) Start(beforeFirst ...time.Time) Position {
	if r.After != nil {
		return *r.After
	}
	return Position{Times: beforeFirst, ID: uuid.Max}
}

// LookAhead is how many rows to read: one more than the page holds, which shows whether
// another page exists.
func (r Request) LookAhead() int32 { return int32(r.Limit) + 1 }

// Trim cuts rows read with LookAhead down to the page.
func Trim[T any](rows []T, r Request, positionOf func(T) Position) ([]T, *Position) {
	if len(rows) <= r.Limit {
		return rows, nil
	}
	return rows[:r.Limit], new(positionOf(rows[r.Limit-1]))
}

package page

// DefaultLimit is the size of a page that names none, as in the contract.
const DefaultLimit = 50

// Request says which page of a list is asked for.
type Request struct {
	Limit int
	After *Position // nil on the first page
	// Scope is what the list's cursors are bound to.
	Scope Scope
}

// LookAhead is how many rows to read: the one beyond the page only proves that
// another page exists.
func (r Request) LookAhead() int32 { return int32(r.Limit) + 1 }

// Trim cuts rows read with LookAhead down to the page. It also returns the
// position that the next page starts after, nil on the last page.
func Trim[T any](rows []T, r Request, positionOf func(T) Position) ([]T, *Position) {
	if len(rows) <= r.Limit {
		return rows, nil
	}
	kept := rows[:r.Limit]
	next := positionOf(kept[len(kept)-1])
	return kept, &next
}

// After is the position after the item of a page that has this index.
type After func(i int) Position

// PositionAfter is for a page that may end before its last row.
func PositionAfter[T any](rows []T, positionOf func(T) Position) After {
	return func(i int) Position { return positionOf(rows[i]) }
}

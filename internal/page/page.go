package page

// The bounds of a page, as in the contract.
const (
	DefaultLimit = 50
	MaxLimit     = 200
)

// Request is which page of a walk is asked for.
type Request struct {
	Limit int
	After *Position // nil on the first page
}

// LookAhead is how many rows to read: one more than the page holds only proves
// that another page exists.
func (r Request) LookAhead() int32 { return int32(r.Limit) + 1 }

// Trim cuts rows read with LookAhead down to the page, and returns the position
// that the next page starts after, nil when this is the last one.
func Trim[T any](rows []T, r Request, positionOf func(T) Position) ([]T, *Position) {
	if len(rows) <= r.Limit {
		return rows, nil
	}
	kept := rows[:r.Limit]
	next := positionOf(kept[len(kept)-1])
	return kept, &next
}

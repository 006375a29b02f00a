package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Replacement says whose stored records become exactly those of the input: what
// the input does not hold is removed. Clients themselves and their keys stay.
type Replacement struct {
	// Clients are named by id or slug; one that does not exist yet by its id.
	Clients []string
	// All means every client, those of which the input holds nothing included.
	All bool
	// MaxRemoved bounds what is removed.
	MaxRemoved MaxRemoved
}

// MaxRemoved is how many records of one kind and client may be removed.
type MaxRemoved struct {
	number  int64
	percent bool
}

// atLeastRemovable is what a percentage always lets through.
const atLeastRemovable = 20

// DefaultMaxRemoved is a tenth.
func DefaultMaxRemoved() MaxRemoved { return MaxRemoved{number: 10, percent: true} }

// ParseMaxRemoved reads a number of records, as 500, or a share, as 10%.
func ParseMaxRemoved(text string) (MaxRemoved, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || percent && n > 100 {
		return MaxRemoved{}, fmt.Errorf("must be a number of records, such as 500, or a share of 0%% to 100%%, not %q", text)
	}
	return MaxRemoved{number: n, percent: percent}, nil
}

func (m MaxRemoved) String() string {
	if m.percent {
		return strconv.FormatInt(m.number, 10) + "%"
	}
	return strconv.FormatInt(m.number, 10)
}

// of is how many of so many stored records may be removed.
func (m MaxRemoved) of(stored int64) int64 {
	if !m.percent {
		return m.number
	}
	return max(atLeastRemovable, stored*m.number/100)
}

// replacing is a replacement under way.
type replacing struct {
	// clients is nil when all are replaced.
	clients map[uuid.UUID]bool
	max     MaxRemoved
	// stored counts the records of each kind and client before the import.
	stored map[*kind]map[uuid.UUID]int64
}

func (r *replacing) accepts(client uuid.UUID) bool {
	return r == nil || r.clients == nil || r.clients[client]
}

// among is the condition that a table's client is replaced, and its argument.
func (r *replacing) among() (string, []any) {
	if r.clients == nil {
		return "true", nil
	}
	return "t.client_id = ANY ($1::uuid[])", []any{r.ids()}
}

func (r *replacing) ids() []uuid.UUID { return slices.Collect(maps.Keys(r.clients)) }

// beginReplacing makes what the replacement remembers: the records that were there and,
// in temporary tables, those that the input keeps and, in the end, the rest.
func (w *writer) beginReplacing(ctx context.Context, asked *Replacement) error {
	if asked == nil {
		return nil
	}
	r := &replacing{max: asked.MaxRemoved, stored: map[*kind]map[uuid.UUID]int64{}}
	if !asked.All {
		r.clients = map[uuid.UUID]bool{}
		for _, named := range asked.Clients {
			id, err := w.clientNamed(ctx, named)
			if err != nil {
				return err
			}
			r.clients[id] = true
		}
	}
	w.replacing = r
	if err := r.lock(ctx, w.tx); err != nil {
		return databaseError(ctx, "waiting for another replacement", err)
	}
	among, args := r.among()
	for _, k := range kinds[1:] {
		stored, err := w.countByClient(ctx, fmt.Sprintf("SELECT t.client_id, count(*) FROM %s AS t WHERE %s GROUP BY t.client_id", k.table, among), args)
		if err != nil {
			return databaseError(ctx, "counting "+k.table, err)
		}
		r.stored[k] = stored
		_, err = w.tx.Exec(ctx, fmt.Sprintf(`CREATE TEMPORARY TABLE kept_%[1]s (client_id uuid, id uuid) ON COMMIT DROP;
			CREATE TEMPORARY TABLE rest_%[1]s (client_id uuid, id uuid) ON COMMIT DROP`, k.table))
		if err != nil {
			return databaseError(ctx, "beginning to replace "+k.table, err)
		}
	}
	return nil
}

// lock waits for other replacements of the same clients: two at once would each remove
// what only the other holds.
func (r *replacing) lock(ctx context.Context, tx pgx.Tx) error {
	if r.clients == nil {
		_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('clientintel replace', 0))")
		return err
	}
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock_shared(hashtextextended('clientintel replace', 0))
		UNION ALL
		SELECT pg_advisory_xact_lock(hashtextextended('clientintel replace ' || t.client_id, 0))
		FROM (SELECT client_id FROM unnest($1::uuid[]) AS u (client_id) ORDER BY client_id) AS t`, r.ids())
	return err
}

// clientNamed is the client's id. One that does not exist yet has no slug here.
func (w *writer) clientNamed(ctx context.Context, named string) (uuid.UUID, error) {
	found, err := w.queries.FindClient(ctx, named)
	if err == nil {
		return found.ID, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, databaseError(ctx, "looking up client "+named, err)
	}
	id, ok := parseUUID([]byte(named))
	if !ok {
		return uuid.Nil, fmt.Errorf("nothing was imported: there is no client %q: name one that is not there yet by its id", named)
	}
	return id, nil
}

func (w *writer) countByClient(ctx context.Context, query string, args []any) (map[uuid.UUID]int64, error) {
	counts := map[uuid.UUID]int64{}
	rows, _ := w.tx.Query(ctx, query, args...) // ForEachRow returns its error
	var client uuid.UUID
	var n int64
	_, err := pgx.ForEachRow(rows, []any{&client, &n}, func() error {
		counts[client] = n
		return nil
	})
	return counts, err
}

// removeTheRest removes the records that the input does not hold, unless they are
// too many.
func (w *writer) removeTheRest(ctx context.Context) error {
	if w.replacing == nil {
		return nil
	}
	// What is left over is found by reading all of it once.
	if _, err := w.tx.Exec(ctx, "SET LOCAL enable_hashjoin = on; SET LOCAL enable_seqscan = on"); err != nil {
		return databaseError(ctx, "comparing", err)
	}
	among, args := w.replacing.among()
	var tooMany []string
	for _, k := range kinds[1:] {
		// Joined, as Citus joins a distributed table with a local one only so.
		_, err := w.tx.Exec(ctx, fmt.Sprintf(`INSERT INTO rest_%[1]s
			SELECT t.client_id, t.id
			FROM %[1]s AS t
			LEFT JOIN kept_%[1]s AS o ON o.client_id = t.client_id AND o.id = t.id
			WHERE %[2]s AND o.id IS NULL`, k.table, among), args...)
		if err != nil {
			return databaseError(ctx, "comparing "+k.table, err)
		}
		counts, err := w.countByClient(ctx, fmt.Sprintf("SELECT r.client_id, count(*) FROM rest_%s AS r GROUP BY r.client_id", k.table), nil)
		if err != nil {
			return databaseError(ctx, "comparing "+k.table, err)
		}
		tooMany = append(tooMany, w.replacing.exceeding(k, counts)...)
		if len(counts) == 0 || len(tooMany) > 0 {
			continue
		}
		removed, err := w.tx.Exec(ctx, fmt.Sprintf("DELETE FROM %[1]s AS t USING rest_%[1]s AS r WHERE t.client_id = r.client_id AND t.id = r.id", k.table))
		if err != nil {
			return databaseError(ctx, "removing "+k.table, err)
		}
		w.count(k).Removed += removed.RowsAffected()
	}
	if _, err := w.tx.Exec(ctx, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_seqscan = off"); err != nil {
		return databaseError(ctx, "removing", err)
	}
	if len(tooMany) > 0 {
		return fmt.Errorf("nothing was imported: %w: %s; if that is right, raise --max-removed, which is %s", ErrTooManyRemoved, strings.Join(tooMany, "; "), w.replacing.max)
	}
	return nil
}

// ErrTooManyRemoved is wrapped by the error of a replacement that would remove
// more than it may: the input is likely not whole.
var ErrTooManyRemoved = errors.New("the input lacks too many of the stored records")

// exceeding describes each client of which too many records of the kind would go.
func (r *replacing) exceeding(k *kind, removed map[uuid.UUID]int64) []string {
	var exceeding []string
	for client, n := range removed {
		stored := r.stored[k][client]
		if n > r.max.of(stored) {
			exceeding = append(exceeding, fmt.Sprintf("%d of %d records of kind %s of client %s", n, stored, k.name, client))
		}
	}
	slices.Sort(exceeding)
	return exceeding
}

package importer

import (
	"context"
	"errors"
	"fmt"
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
	// Kinds are those that are replaced, by name. Nil: all.
	Kinds []string
	// MaxRemoved bounds what is removed, by kind, or by a client as it is named here and
	// kind, as acme/lane; under the empty name of what it does not name. Nil:
	// DefaultMaxRemoved.
	MaxRemoved map[string]Limit
}

// Limit is a number, or a share in percent.
type Limit struct {
	number  int64
	percent bool
}

// DefaultMaxRemoved is a tenth.
var DefaultMaxRemoved = Limit{number: 10, percent: true}

// ParseLimit reads a number, as 500, or a share, as 10%.
func ParseLimit(text string) (Limit, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || percent && n > 100 {
		return Limit{}, fmt.Errorf("must be a number of records, such as 500, or a share of 0%% to 100%%, not %q", text)
	}
	return Limit{number: n, percent: percent}, nil
}

func (l Limit) String() string {
	if l.percent {
		return strconv.FormatInt(l.number, 10) + "%"
	}
	return strconv.FormatInt(l.number, 10)
}

// maxRemoved is the limit of a client's kind.
func (r *replacing) maxRemoved(client uuid.UUID, k *kind) Limit {
	for _, name := range []string{r.asked.Clients[slices.Index(r.clients, client)] + "/" + k.name, k.name, ""} {
		if limit, given := r.asked.MaxRemoved[name]; given {
			return limit
		}
	}
	return DefaultMaxRemoved
}

// allowsRemoved reports whether so many of the stored records may go: a share is rounded up.
// All of them only where that is asked for.
func (l Limit) allowsRemoved(removed, stored int64) bool {
	switch {
	case removed == 0 || l.percent && l.number == 100:
		return true
	case removed == stored:
		return false
	case l.percent:
		return removed <= (stored*l.number+99)/100
	}
	return removed <= l.number
}

// ReplaceableKinds are the names of the kinds that a replacement can be of.
func ReplaceableKinds() []string {
	names := make([]string, len(kinds)-1)
	for i, k := range kinds[1:] {
		names[i] = k.name
	}
	return names
}

// replacing is a replacement under way.
type replacing struct {
	asked   *Replacement
	clients []uuid.UUID
	kinds   []*kind
}

func (r *replacing) accepts(client uuid.UUID) bool {
	return r == nil || slices.Contains(r.clients, client)
}

// beginReplacing finds the clients whose records are replaced.
func (w *writer) beginReplacing(ctx context.Context, asked *Replacement) error {
	if asked == nil {
		return nil
	}
	r := &replacing{asked: asked}
	for _, k := range kinds[1:] {
		if asked.Kinds == nil || slices.Contains(asked.Kinds, k.name) {
			r.kinds = append(r.kinds, k)
		}
	}
	for _, named := range asked.Clients {
		id, err := w.clientNamed(ctx, named)
		if err != nil {
			return err
		}
		r.clients = append(r.clients, id)
	}
	w.replacing, w.decoder.replacing = r, r
	return nil
}

// clientNamed is the client's id. One that does not exist yet has no slug here.
func (w *writer) clientNamed(ctx context.Context, named string) (uuid.UUID, error) {
	found, err := w.queries.FindClient(ctx, named)
	if err == nil {
		return found.ID, nil
	}
	if !errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, fmt.Errorf("client %s: %w", named, err)
	}
	id, ok := parseUUID([]byte(named))
	if !ok {
		return uuid.Nil, fmt.Errorf("there is no client %q: name one that is not there yet by its id", named)
	}
	return id, nil
}

// removeTheRest adds the records that the input does not hold to those that are deleted.
// Joined, as Citus joins a distributed table with a local one only so.
func (w *writer) removeTheRest(ctx context.Context) error {
	if w.replacing == nil {
		return nil
	}
	for _, k := range w.replacing.kinds {
		err := w.exec(ctx, fmt.Sprintf(`INSERT INTO import_keys (kind, client_id, id, deletes)
			SELECT '%[1]s', t.client_id, t.id, true
			FROM %[2]s AS t
			LEFT JOIN import_keys AS k ON k.kind = '%[1]s' AND k.client_id = t.client_id AND k.id = t.id
			WHERE t.client_id = ANY ($1::uuid[])
				AND k.id IS NULL`, k.name, k.table), w.replacing.clients)
		if err != nil {
			return err
		}
	}
	return nil
}

// ErrTooManyRemoved is wrapped by the error of a replacement that would remove
// more than it may: the input is likely not whole.
var ErrTooManyRemoved = errors.New("the input lacks too many of the stored records")

// checkRemovals refuses to remove more of a client's kind than the replacement may.
func (w *writer) checkRemovals(ctx context.Context) error {
	if w.replacing == nil {
		return nil
	}
	var tooMany []string
	for _, k := range w.replacing.kinds {
		var client uuid.UUID
		var stored, removed int64
		rows, _ := w.tx.Query(ctx, fmt.Sprintf(`SELECT t.client_id, count(*), count(k.id)
			FROM %s AS t
			LEFT JOIN import_keys AS k ON k.kind = '%s' AND k.client_id = t.client_id AND k.id = t.id AND k.deletes
			WHERE t.client_id = ANY ($1::uuid[])
			GROUP BY t.client_id
			ORDER BY t.client_id`, k.table, k.name), w.replacing.clients) // ForEachRow returns its error
		_, err := pgx.ForEachRow(rows, []any{&client, &stored, &removed}, func() error {
			if limit := w.replacing.maxRemoved(client, k); !limit.allowsRemoved(removed, stored) {
				tooMany = append(tooMany, fmt.Sprintf("%d of %d records of kind %s of client %s, where max-removed is %s", removed, stored, k.name, client, limit))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if len(tooMany) > 0 {
		return fmt.Errorf("%w: %s; if that is right, raise max-removed (all of a kind go with 100%% only)",
			ErrTooManyRemoved, strings.Join(tooMany, "; "))
	}
	return nil
}

package analytics

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
)

// MaxHeld is how many rows an answer may have and be read whole before it is
// sent: a month of a large brand, in about a megabyte.
const MaxHeld = 50_000

// Reader reads analytics.
type Reader struct {
	ledger  *measurement.Ledger
	streams *measurement.Ledger
}

// New reads in the ledger's snapshots, and what has too many rows to be held in
// those of streams: they stay open for as long as their caller takes to read, so
// their connections are no one else's.
func New(ledger, streams *measurement.Ledger) *Reader {
	return &Reader{ledger: ledger, streams: streams}
}

// Held is a window read whole.
type Held struct {
	Report Report
	// blocks have the rows. A list that grows would be copied a dozen times over,
	// and all of the copies were garbage.
	blocks [][]Row
}

// rowsInBlock makes a block of 64 KB.
const rowsInBlock = 4096

func (h *Held) add(row Row) {
	last := len(h.blocks) - 1
	if last < 0 || len(h.blocks[last]) == rowsInBlock {
		// The first one grows, as most windows are small.
		size := 0
		if last >= 0 {
			size = rowsInBlock
		}
		h.blocks = append(h.blocks, make([]Row, 0, size))
		last++
	}
	h.blocks[last] = append(h.blocks[last], row)
}

// Rows hands out the rows, newest first, ties by id.
func (h *Held) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, block := range h.blocks {
			for _, row := range block {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// Read counts the caller's interviews in the window. Nil says that there are
// more than MaxHeld: Stream them.
func (r *Reader) Read(ctx context.Context, caller access.Caller, q Query) (*Held, error) {
	var held *Held
	err := r.ledger.Read(ctx, caller, func(ctx context.Context, in *measurement.Reading) error {
		whole := &Held{}
		most := int64(MaxHeld + 1)
		counted, err := countRows(ctx, in, caller, q, &most, func(row Row) error {
			whole.add(row)
			return nil
		})
		if err != nil || counted.total > MaxHeld {
			return err
		}
		whole.Report, err = conclude(ctx, in, q, counted)
		held = whole
		return err
	})
	return held, err
}

// Stream counts the caller's interviews in the window and hands each to take,
// newest first, ties by id. An error of take ends the reading and comes back.
func (r *Reader) Stream(ctx context.Context, caller access.Caller, q Query, take func(Row) error) (Report, error) {
	// Rows that nobody takes any more are not read to their end, and rows that do
	// not come are not waited for: how long all of it takes is the caller's affair,
	// so there is no other bound.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var rows beat
	go rows.watch(ctx, stop)
	var report Report
	err := r.streams.Read(ctx, caller, func(ctx context.Context, in *measurement.Reading) error {
		counted, err := countRows(ctx, in, caller, q, nil, func(row Row) error {
			rows.next()
			err := take(row)
			rows.next()
			if err != nil {
				stop(err)
			}
			return err
		})
		if err != nil {
			return err
		}
		report, err = conclude(ctx, in, q, counted)
		return err
	})
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		err = fault.OutOfReach(errStalled)
	}
	return report, err
}

// conclude gives the statement its basis and sums up.
func conclude(ctx context.Context, in *measurement.Reading, q Query, c *count) (Report, error) {
	if err := in.AddBasis(ctx, q.Scope, c.listed); err != nil {
		return Report{}, err
	}
	return c.report(in.Statement), nil
}

// countRows runs the one statement, at most so many rows of it (nil: all).
func countRows(
	ctx context.Context, in *measurement.Reading, caller access.Caller, q Query, most *int64, take func(Row) error,
) (*count, error) {
	named, wanted, err := readCampaigns(ctx, in, caller, q.Campaign)
	if err != nil {
		return nil, fmt.Errorf("reading campaigns' names: %w", err)
	}
	c := newCount(windowOf(q, in.AsOf), in.BasisRoom(), named.len())
	var rows pgx.Rows
	switch {
	case q.Campaign == nil:
		rows, err = in.Tx().Query(ctx, db.ListPulses, caller.ClientID, c.window.From, c.window.Until, most)
	case wanted != nil:
		rows, err = in.Tx().Query(ctx, db.ListPulsesOfCampaign, caller.ClientID, *wanted, c.window.From, c.window.Until, most)
	default: // no live campaign of that slug
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading pulses: %w", err)
	}
	defer rows.Close()
	if err := countPulses(c, named, rows, take); err != nil {
		return nil, err
	}
	return c, nil
}

// countPulses counts the rows and hands each to take, whose error comes back as it is.
func countPulses(c *count, named campaigns, rows pgx.Rows, take func(Row) error) error {
	values := postgres.NewValues(rows)
	for values.Next() {
		p := pulseOf(values)
		if values.Err() != nil {
			break
		}
		row, err := named.row(p)
		if err != nil {
			return err
		}
		c.add(row, p.id)
		if err := take(row); err != nil {
			return err
		}
	}
	if err := values.Err(); err != nil {
		return fmt.Errorf("reading pulses: %w", err)
	}
	return nil
}

// readCampaigns returns what charts call the client's campaigns, and the id of
// the live one that the slug names, nil when it names none. It also settles how
// pulses are read.
func readCampaigns(
	ctx context.Context, in *measurement.Reading, caller access.Caller, slug *string,
) (campaigns, *uuid.UUID, error) {
	named := newCampaigns()
	batch := &pgx.Batch{}
	batch.Queue(db.LeavePulsesOnePlan)
	batch.Queue(db.ListCampaignNames, caller.ClientID)
	results := in.Tx().SendBatch(ctx, batch)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return named, nil, err
	}
	found, err := results.Query()
	if err != nil {
		return named, nil, err
	}
	rows, err := pgx.CollectRows(found, pgx.RowToStructByPos[db.ListCampaignNamesRow])
	if err != nil {
		return named, nil, err
	}
	var wanted *uuid.UUID
	for _, row := range rows {
		named.add(row.ID, row.Slug, row.DisplayName)
		if slug != nil && row.Slug == *slug && row.Live {
			wanted = &row.ID
		}
	}
	return named, wanted, results.Close()
}

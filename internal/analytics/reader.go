package analytics

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/measurement"
)

// MaxBuffered is how many rows an answer may have and be read whole before it is
// sent: a month of a large brand, in about a megabyte.
const MaxBuffered = 50_000

// Reader reads analytics.
type Reader struct {
	snapshots *measurement.SnapshotReader
	streams   *measurement.SnapshotReader
}

// New reads in snapshots, and what has too many rows to be held in those of
// streams: they stay open for as long as their caller takes to read, so
// their connections are no one else's.
func New(snapshots, streams *measurement.SnapshotReader) *Reader {
	return &Reader{snapshots: snapshots, streams: streams}
}

// BufferedReport is a window read whole.
type BufferedReport struct {
	Report Report
	// blocks have the rows. A list that grows would be copied a dozen times over,
	// and all of the copies were garbage.
	blocks [][]Row
}

// rowsInBlock makes a block of 64 KB.
const rowsInBlock = 4096

func (h *BufferedReport) add(row Row) {
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
func (h *BufferedReport) Rows() iter.Seq[Row] {
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
func (r *Reader) Read(ctx context.Context, caller auth.Caller, q Query) (*BufferedReport, error) {
	var held *BufferedReport
	err := r.snapshots.Read(ctx, caller, func(ctx context.Context, in *measurement.Snapshot) error {
		whole := &BufferedReport{}
		most := int64(MaxBuffered + 1)
		counted, err := countRows(ctx, in, caller, q, &most, func(row Row) error {
			whole.add(row)
			return nil
		})
		if err != nil || counted.total > MaxBuffered {
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
func (r *Reader) Stream(ctx context.Context, caller auth.Caller, q Query, take func(Row) error) (Report, error) {
	// Rows that nobody takes any more are not read to their end, and rows that do
	// not come are not waited for: how long all of it takes is the caller's affair,
	// so there is no other bound.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var rows stallWatchdog
	go rows.watch(ctx, stop)
	var report Report
	err := r.streams.Read(ctx, caller, func(ctx context.Context, in *measurement.Snapshot) error {
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
		err = apierror.Unavailable(errStalled)
	}
	return report, err
}

// conclude gives the statement its basis and sums up.
func conclude(ctx context.Context, in *measurement.Snapshot, q Query, c *count) (Report, error) {
	if err := in.AddBasis(ctx, q.Scope, c.listed); err != nil {
		return Report{}, err
	}
	return c.report(in.Provenance), nil
}

// countRows runs the one statement, at most so many rows of it (nil: all).
func countRows(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, q Query, most *int64, take func(Row) error,
) (*count, error) {
	named, wanted, err := readCampaigns(ctx, in, caller, q.Campaign)
	if err != nil {
		return nil, fmt.Errorf("reading campaigns' names: %w", err)
	}
	c := newCount(windowOf(q, in.AsOf), in.BasisLimit(), named.len())
	var rows pgx.Rows
	switch {
	case q.Campaign == nil:
		rows, err = in.Tx().Query(ctx, db.ListDataPoints, caller.ClientID, c.window.From, c.window.Until, most)
	case wanted != nil:
		rows, err = in.Tx().Query(ctx, db.ListDataPointsOfCampaign, caller.ClientID, *wanted, c.window.From, c.window.Until, most)
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
	var point dataPoint
	points := point.decode(rows)
	for points.Next() {
		row, err := named.row(&point)
		if err != nil {
			return err
		}
		c.add(row, point.id)
		if err := take(row); err != nil {
			return err
		}
	}
	if err := points.Err(); err != nil {
		return fmt.Errorf("reading pulses: %w", err)
	}
	return nil
}

// readCampaigns returns what charts call the client's campaigns, and the id of
// the live one that the slug names, nil when it names none. It also settles how
// pulses are read.
func readCampaigns(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, slug *string,
) (campaigns, *uuid.UUID, error) {
	named := newCampaigns()
	batch := &pgx.Batch{}
	batch.Queue(db.ReadDataPointsInIndexOrder)
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
	rows, err := pgx.CollectRows(found, pgx.RowToStructByName[db.ListCampaignNamesRow])
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

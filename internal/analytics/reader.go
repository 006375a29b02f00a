package analytics

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
	"unsafe"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/postgres"
)

// MaxBuffered is how many rows a response may have that is read whole before it is sent:
// a month of a large client, in about a megabyte.
const MaxBuffered = 50_000

// Reader reads analytics.
type Reader struct {
	snapshots *measurement.SnapshotReader
	streams   *measurement.SnapshotReader
	slots     *fairqueue.Slots // of streams
}

const (
	// Streams is how many responses may be read while they are sent, and how many
	// connections they need.
	Streams = 4
	// streamsOfClient is one client's share: nothing bounds how long a slow caller keeps
	// its stream.
	streamsOfClient = 2
	streamsWaiting  = 8
	streamWait      = 3 * time.Second
)

// New makes a reader. It reads a response with too many rows to buffer through streams,
// which has connections of its own: a stream stays open for as long as its caller reads.
func New(snapshots, streams *measurement.SnapshotReader) *Reader {
	return &Reader{snapshots: snapshots, streams: streams, slots: fairqueue.NewSlots(Streams, streamsOfClient, streamsWaiting)}
}

// BufferedReport is a report with its rows in memory.
type BufferedReport struct {
	Report Report
	// The rows are in blocks: one growing list would be copied a dozen times.
	full [][]Row
	last []Row
}

// rowsInBlock makes a block of 64 KB.
const rowsInBlock = 4096

func (b *BufferedReport) add(row Row) {
	if len(b.last) == rowsInBlock {
		b.full, b.last = append(b.full, b.last), make([]Row, 0, rowsInBlock)
	}
	b.last = append(b.last, row) // the first block grows, as most windows are small
}

// Size is about how much memory it takes.
func (b *BufferedReport) Size() int64 { return int64(b.Report.Total) * int64(unsafe.Sizeof(Row{})) }

// Rows yields the rows, newest first, ties by id.
func (b *BufferedReport) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, block := range append(b.full, b.last) {
			for _, row := range block {
				if !yield(row) {
					return
				}
			}
		}
	}
}

// Read counts the caller's interviews in the window. It returns nil if there are more than
// MaxBuffered: see Stream.
func (r *Reader) Read(ctx context.Context, caller auth.Caller, q Query) (*BufferedReport, error) {
	var buffered *BufferedReport
	err := r.snapshots.Read(ctx, caller, func(ctx context.Context, in *measurement.Snapshot) error {
		read := &BufferedReport{}
		counted, err := countRows(ctx, in, caller, q, new(int64(MaxBuffered+1)), func(row Row) error {
			read.add(row)
			return nil
		})
		if err != nil || counted.total > MaxBuffered {
			return err
		}
		in.AddBasis(q.Scope, counted.ids)
		read.Report = counted.report(in.Provenance)
		buffered = read
		return nil
	})
	return buffered, err
}

// Stream counts the caller's interviews in the window and passes each to take, newest
// first, ties by id. It stops at an error of take, and returns it.
func (r *Reader) Stream(ctx context.Context, caller auth.Caller, q Query, take func(Row) error) (Report, error) {
	if err := r.slots.AcquireWithin(ctx, caller.ClientID, streamWait); err != nil {
		return Report{}, apierror.Unavailable(fmt.Errorf("waiting for other streams: %w", err))
	}
	defer r.slots.Release(caller.ClientID)
	// The stream ends when take fails or the database stops sending rows. Nothing else
	// bounds it: a caller may read slowly.
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
		in.AddBasis(q.Scope, counted.ids)
		report = counted.report(in.Provenance)
		return nil
	})
	if err != nil && errors.Is(context.Cause(ctx), errStalled) {
		err = apierror.Unavailable(errStalled)
	}
	return report, err
}

// countRows counts at most so many rows of the window (nil: all) and passes each to take.
func countRows(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, q Query, most *int64, take func(Row) error,
) (*count, error) {
	named, wanted, err := readCampaigns(ctx, in, caller, q.Campaign)
	if err != nil {
		return nil, fmt.Errorf("reading campaigns' names: %w", err)
	}
	c := &count{window: windowOf(q, in.AsOf), maxIDs: in.BasisLimit(), campaigns: make([]campaignTally, named.len())}
	if q.Campaign != nil && wanted == nil { // no live campaign of that slug
		return c, nil
	}
	query := postgres.QueryOf(func(queries *db.Queries) {
		if wanted == nil {
			_, _ = queries.ListDataPoints(ctx, db.ListDataPointsParams{
				ClientID: caller.ClientID, FromCreatedAt: c.window.From, UntilCreatedAt: c.window.Until, MaxRows: most,
			})
			return
		}
		_, _ = queries.ListDataPointsOfCampaign(ctx, db.ListDataPointsOfCampaignParams{
			ClientID: caller.ClientID, CampaignID: *wanted, FromCreatedAt: c.window.From, UntilCreatedAt: c.window.Until, MaxRows: most,
		})
	})
	rows, err := in.Tx().Query(ctx, query.SQL, query.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading data points: %w", err)
	}
	defer rows.Close()
	if err := countDataPoints(c, named, rows, take); err != nil {
		return nil, err
	}
	return c, nil
}

// countDataPoints counts the rows and passes each to take, whose error it returns unchanged.
func countDataPoints(c *count, named campaigns, rows pgx.Rows, take func(Row) error) error {
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
		return fmt.Errorf("reading data points: %w", err)
	}
	return nil
}

// readCampaigns returns what charts call the client's campaigns, and the id of
// the live one that the slug names, nil when it names none. It also makes
// data points be read in the order of their index.
func readCampaigns(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, slug *string,
) (campaigns, *uuid.UUID, error) {
	named := newCampaigns()
	batch := &pgx.Batch{}
	batch.Queue(db.ReadDataPointsInIndexOrder)
	names := postgres.QueryOf(func(queries *db.Queries) { _, _ = queries.ListCampaignNames(ctx, caller.ClientID) })
	batch.Queue(names.SQL, names.Args...)
	results := in.Tx().SendBatch(ctx, batch)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return named, nil, err
	}
	found, _ := results.Query() // CollectRows returns its error
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

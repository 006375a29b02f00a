package analytics

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/measurement"
)

const (
	// MaxBuffered is how many rows a response may have that is read whole before it is
	// sent: a month of a large client, in about a megabyte.
	MaxBuffered = 50_000
	// partSize is how many rows are read at a time.
	partSize = 5_000
	// partTimeout is how long the database may take for a part. A stream is bounded by
	// nothing else: its caller may read slowly.
	partTimeout = 10 * time.Second
	// Streams is how many responses may be read while they are sent, and how many
	// connections they need.
	Streams = 4
)

// Reader reads analytics.
type Reader struct {
	snapshots *measurement.SnapshotReader
	streams   *measurement.SnapshotReader
}

// New makes a reader. It reads a response with too many rows to buffer through streams,
// which has connections of its own: a stream stays open for as long as its caller reads.
func New(snapshots, streams *measurement.SnapshotReader) *Reader {
	return &Reader{snapshots: snapshots, streams: streams}
}

// BufferedReport is a report with its rows in memory, newest first, ties by id.
type BufferedReport struct {
	Report Report
	Rows   []Row
}

// errTooManyRows ends a reading whose rows are too many to buffer.
var errTooManyRows = errors.New("there are too many rows to buffer")

// Read counts the caller's interviews in the window. It returns nil if there are more than
// MaxBuffered: see Stream.
func (r *Reader) Read(ctx context.Context, caller auth.Caller, q Query) (*BufferedReport, error) {
	buffered := &BufferedReport{}
	var err error
	buffered.Report, err = read(ctx, r.snapshots, caller, q, func(row Row) error {
		if len(buffered.Rows) == MaxBuffered {
			return errTooManyRows
		}
		buffered.Rows = append(buffered.Rows, row)
		return nil
	})
	if errors.Is(err, errTooManyRows) {
		return nil, nil
	}
	return buffered, err
}

// Stream counts the caller's interviews in the window and passes each to take, newest
// first, ties by id. It stops at an error of take, and returns it.
func (r *Reader) Stream(ctx context.Context, caller auth.Caller, q Query, take func(Row) error) (Report, error) {
	return read(ctx, r.streams, caller, q, take)
}

func read(
	ctx context.Context, snapshots *measurement.SnapshotReader, caller auth.Caller, q Query, take func(Row) error,
) (Report, error) {
	var report Report
	err := snapshots.Read(ctx, caller, measurement.Many, func(ctx context.Context, in *measurement.Snapshot) error {
		counted, err := countRows(ctx, in, caller, q, take)
		if err != nil {
			return err
		}
		in.AddBasis(q.Scope, counted.ids)
		report = counted.report(in.Provenance)
		return nil
	})
	return report, err
}

// countRows counts the rows of the window and passes each to take, whose error it returns
// unchanged.
func countRows(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, q Query, take func(Row) error,
) (*count, error) {
	named, wanted, err := readCampaigns(ctx, in, caller, q.Campaign)
	if err != nil {
		return nil, fmt.Errorf("reading campaigns' names: %w", err)
	}
	c := &count{window: windowOf(q, in.AsOf), maxIDs: in.BasisLimit(), campaigns: make([]campaignTally, named.len())}
	if q.Campaign != nil && wanted == nil { // no live campaign of that slug
		return c, nil
	}
	if err := in.Queries().ReadDataPointsInIndexOrder(ctx); err != nil {
		return nil, fmt.Errorf("choosing an index: %w", err)
	}
	part := db.ListDataPointsParams{
		ClientID: caller.ClientID, AfterCreatedAt: c.window.Until, AfterID: uuid.Max, FromCreatedAt: c.window.From, MaxRows: partSize,
	}
	for {
		points, err := readPart(ctx, in.Queries(), wanted, part)
		if err != nil {
			return nil, fmt.Errorf("reading data points: %w", err)
		}
		for _, point := range points {
			row, err := named.row(point)
			if err != nil {
				return nil, err
			}
			c.add(row, point.ID)
			if err := take(row); err != nil {
				return nil, err
			}
		}
		if len(points) < partSize {
			return c, nil
		}
		last := points[len(points)-1]
		part.AfterCreatedAt, part.AfterID = last.CreatedAt, last.ID
	}
}

func readPart(ctx context.Context, queries *db.Queries, campaign *uuid.UUID, of db.ListDataPointsParams) ([]db.ListDataPointsRow, error) {
	ctx, cancel := context.WithTimeout(ctx, partTimeout)
	defer cancel()
	if campaign == nil {
		return queries.ListDataPoints(ctx, of)
	}
	rows, err := queries.ListDataPointsOfCampaign(ctx, db.ListDataPointsOfCampaignParams{
		ClientID: of.ClientID, CampaignID: *campaign,
		AfterCreatedAt: of.AfterCreatedAt, AfterID: of.AfterID, FromCreatedAt: of.FromCreatedAt, MaxRows: of.MaxRows,
	})
	points := make([]db.ListDataPointsRow, len(rows))
	for i, row := range rows {
		points[i] = db.ListDataPointsRow(row)
	}
	return points, err
}

// readCampaigns returns what charts call the client's campaigns, and the id of
// the live one that the slug names, nil when it names none.
func readCampaigns(
	ctx context.Context, in *measurement.Snapshot, caller auth.Caller, slug *string,
) (campaigns, *uuid.UUID, error) {
	named := newCampaigns()
	rows, err := in.Queries().ListCampaignNames(ctx, caller.ClientID)
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
	return named, wanted, nil
}

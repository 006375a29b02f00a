package analytics

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
	"github.com/clientintel/clientintel/internal/measurement"
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
	Rows   []Row // newest first, ties by id
}

// Read counts the caller's interviews in the window. Nil says that there are
// more than MaxHeld: Stream them.
func (r *Reader) Read(ctx context.Context, caller access.Caller, q Query) (*Held, error) {
	var held *Held
	err := r.ledger.Read(ctx, caller, func(ctx context.Context, in *measurement.Reading) error {
		rows := []Row{}
		most := int64(MaxHeld + 1)
		counted, err := countRows(ctx, in, caller, q, &most, func(row Row) error {
			rows = append(rows, row)
			return nil
		})
		if err != nil || len(rows) > MaxHeld {
			return err
		}
		report, err := conclude(ctx, in, q, counted)
		held = &Held{Report: report, Rows: rows}
		return err
	})
	return held, err
}

// Stream counts the caller's interviews in the window and hands each to take,
// newest first, ties by id. An error of take ends the reading and comes back.
func (r *Reader) Stream(ctx context.Context, caller access.Caller, q Query, take func(Row) error) (Report, error) {
	// Rows that nobody takes any more are not read to their end.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var report Report
	err := r.streams.Read(ctx, caller, func(ctx context.Context, in *measurement.Reading) error {
		counted, err := countRows(ctx, in, caller, q, nil, func(row Row) error {
			err := take(row)
			if err != nil {
				stop()
			}
			return err
		})
		if err != nil {
			return err
		}
		report, err = conclude(ctx, in, q, counted)
		return err
	})
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
	campaigns, wanted, err := readCampaigns(ctx, in, caller, q.Campaign)
	if err != nil {
		return nil, fmt.Errorf("reading campaigns' names: %w", err)
	}
	c := newCount(windowOf(q, in.AsOf), in.BasisRoom())
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
	var (
		createdAt      pgtype.Timestamptz
		id, campaignID pgtype.UUID
		score          pgtype.Float8
		uncategorized  = &Campaign{Slug: "uncategorized", Label: "Uncategorized"}
	)
	for rows.Next() {
		if err := rows.Scan(&createdAt, &id, &campaignID, &score); err != nil {
			return nil, fmt.Errorf("reading pulses: %w", err)
		}
		row := Row{Campaign: uncategorized, Day: dayOf(createdAt.Time), Sentiment: sentimentOf(score.Float64, score.Valid)}
		if campaignID.Valid {
			if row.Campaign = campaigns[campaignID.Bytes]; row.Campaign == nil {
				return nil, fault.Unexpected(errors.New("an interview's campaign does not exist"))
			}
		}
		c.add(row, id.Bytes)
		if err := take(row); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("reading pulses: %w", err)
	}
	return c, nil
}

// readCampaigns returns what charts call the client's campaigns, and the id of
// the live one that the slug names, nil when it names none. It also settles how
// pulses are read.
func readCampaigns(
	ctx context.Context, in *measurement.Reading, caller access.Caller, slug *string,
) (map[uuid.UUID]*Campaign, *uuid.UUID, error) {
	batch := &pgx.Batch{}
	batch.Queue(db.LeavePulsesOnePlan)
	batch.Queue(db.ListCampaignNames, caller.ClientID)
	results := in.Tx().SendBatch(ctx, batch)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return nil, nil, err
	}
	found, err := results.Query()
	if err != nil {
		return nil, nil, err
	}
	rows, err := pgx.CollectRows(found, pgx.RowToStructByPos[db.ListCampaignNamesRow])
	if err != nil {
		return nil, nil, err
	}
	named := make(map[uuid.UUID]*Campaign, len(rows))
	var wanted *uuid.UUID
	for _, row := range rows {
		c := &Campaign{Slug: row.Slug, Label: row.Slug}
		if row.DisplayName != nil {
			c.Label = *row.DisplayName
		}
		named[row.ID] = c
		if slug != nil && row.Slug == *slug && row.Live {
			wanted = &row.ID
		}
	}
	return named, wanted, results.Close()
}

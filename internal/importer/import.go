package importer

import (
	"context"
	_ "embed" // the settings
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
)

// Options of an import.
type Options struct {
	// Progress is called now and then, from the goroutine that called Import. May be nil.
	Progress func(Progress)
	// ExpectLines is how many lines the input holds that are not blank, the trailer not
	// counted. Nil when that is not known; an empty input is then an error.
	ExpectLines *int64
	// Replace makes clients' records exactly those of the input. Nil: the input adds.
	Replace *Replacement
	// WithKeys accepts the lines that an export with keys has. Whoever writes them
	// can mint keys: never for a Remote source.
	WithKeys bool
}

// Progress is how far an import has come.
type Progress struct {
	Lines, Bytes int64
	Elapsed      time.Duration
	// Finishing is set when the file is read and written, and what remains is to
	// check its references and to commit.
	Finishing bool
}

// Summary is what an import did.
type Summary struct {
	Lines, Bytes int64
	Elapsed      time.Duration
	// Kinds are those that the file holds, or of which records were removed.
	Kinds []KindSummary
	// Warnings are lines that were imported and are likely mistakes, up to maxLineErrors.
	Warnings []*LineError
}

// KindSummary counts what became of the records of one kind.
type KindSummary struct {
	Kind    string `json:"kind"`
	Added   int64  `json:"added"`
	Changed int64  `json:"changed"`
	// Unchanged lines found their record as they have it, or were followed by
	// another line of the same id.
	Unchanged int64 `json:"unchanged"`
	// Removed records were deleted by a line, or not in the input that replaces them.
	Removed int64 `json:"removed"`
	// Missing lines asked to delete a record that was not there.
	Missing int64 `json:"missing"`
}

// Import reads whole files into the database, as the owner, or nothing of any. The
// connection is one of postgres.ConnectOwner, as pgx alone encodes lists of ids 18 times
// slower. It must be in no transaction, and is closed when ctx ends meanwhile; a
// Read that is under way is not interrupted. A mistake in a file is a *LineError, several
// are LineErrors; an input that is not whole is ErrIncomplete; an error that wraps
// ErrConflict may be gone on another try.
func Import(ctx context.Context, conn *pgx.Conn, o Options, sources ...Source) (Summary, error) {
	start := time.Now()
	for _, source := range sources {
		if o.WithKeys && source.Remote {
			return Summary{}, fmt.Errorf("nothing was imported: %s: keys are accepted from files and standard input only", source.Name)
		}
	}
	tx, err := begin(ctx, conn)
	if err != nil {
		return Summary{}, databaseError(ctx, "beginning", err)
	}
	defer rollback(conn, tx)

	parsing, stop := context.WithCancel(ctx)
	defer stop()
	w := newWriter(tx)
	if err := w.begin(ctx); err != nil {
		return Summary{}, err
	}
	if err := w.beginReplacing(ctx, o.Replace); err != nil {
		return Summary{}, err
	}
	pipe := &pipeline{ctx: parsing, batches: make(chan *batch, 1)}
	go pipe.parse(sources, o, w.replacing)

	if err := w.writeAll(ctx, pipe, throttled(o.Progress, start)); err != nil {
		return Summary{}, err
	}
	if err := db.New(tx).RecordImport(ctx); err != nil {
		return Summary{}, databaseError(ctx, "noting the import", err)
	}
	// A commit that is interrupted leaves unknown whether it happened.
	if err := tx.Commit(context.WithoutCancel(ctx)); err != nil {
		return Summary{}, commitError(err)
	}
	parsed := pipe.decoder
	return Summary{
		Lines:    parsed.at.Lines,
		Bytes:    parsed.at.Bytes,
		Elapsed:  time.Since(start),
		Kinds:    w.summary(),
		Warnings: parsed.warnings,
	}, nil
}

// writeAll writes every batch and makes the checks of the end.
func (w *writer) writeAll(ctx context.Context, pipe *pipeline, report func(Progress)) error {
	for {
		b, err := pipe.next()
		if err != nil {
			return err
		}
		if b == nil {
			break
		}
		if err := w.write(ctx, b); err != nil {
			return err
		}
		report(b.at)
	}
	at := pipe.decoder.at
	at.Finishing = true
	report(at)
	w.deferred = pipe.decoder.deferred
	return w.finish(ctx)
}

// finish makes the checks that need the whole file, then those of the database.
func (w *writer) finish(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		w.correctCampaignLive, w.removeTheRest, w.checkDeletes, w.deleteClients,
		w.checkReferences, w.checkSlugs, w.mergeAPIKeys, w.mergeRequestLog,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	// The checks of the commit, now, while they can still be interrupted.
	_, err := w.tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
	return databaseError(ctx, "proving references", err)
}

//go:embed session.sql
var sessionSettings string

// begin opens the transaction with settings of its own.
func begin(ctx context.Context, conn *pgx.Conn) (pgx.Tx, error) {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, sessionSettings); err != nil {
		rollback(conn, tx)
		return nil, err
	}
	return tx, nil
}

// rollback also runs when the caller's context has ended.
func rollback(conn *pgx.Conn, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := tx.Rollback(ctx); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
		_ = conn.Close(ctx)
	}
}

package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

// Options of an import.
type Options struct {
	// Progress is called after each line, from one goroutine at a time. May be nil.
	Progress func(Progress)
	// ExpectLines is how many lines the input holds that are not blank, the trailer not
	// counted. Nil when that is not known; an empty input is then an error.
	ExpectLines *int64
	// Replace makes clients' records exactly those of the input. Nil: the input adds.
	Replace *Replacement
	// WithKeys accepts the lines that an export with keys has. Whoever writes them
	// can mint keys: never for a Remote source.
	WithKeys bool
	// MaxBad is how many bad lines, or which share of all, are set aside. What they are about is
	// not imported, and where it is there from before and its kind is replaced, it is removed.
	MaxBad Limit
	// Only is the client whose lines are read, and those of the kinds that are replaced;
	// others are passed over. Zero: all.
	Only uuid.UUID
	// DryRun finds out what an import would do, and does nothing.
	DryRun bool
	// Command and Source are what is noted of the import. Empty: "import", and nothing.
	Command, Source string
	// MaxWait is how long another import of the same clients is waited for, 0 without end;
	// Waiting is told once who that is. May be nil.
	MaxWait time.Duration
	Waiting func(string)
}

// Progress is how far an import has come.
type Progress struct {
	Lines, Bytes int64
	// Finishing is set when the input is read, and what remains is to check it as a whole
	// and to write it.
	Finishing bool
}

// Summary is what an import did.
type Summary struct {
	// Lines counts the lines that are neither blank nor the trailer, as
	// Options.ExpectLines does.
	Lines, Bytes int64
	Elapsed      time.Duration
	// Kinds are those that the file holds, or of which records were removed.
	Kinds []KindSummary
	// Warnings are lines that were imported and are likely mistakes, up to maxLineErrors.
	Warnings []*LineError
	// SetAside are the bad lines that Options.MaxBad let pass.
	SetAside []*LineError
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
	// SetAside lines were bad, and were let pass.
	SetAside int64 `json:"set_aside,omitempty"`
	// Suppressed lines are of interviews that were erased.
	Suppressed int64 `json:"suppressed,omitempty"`
}

// String is a summary in words.
func (k KindSummary) String() string {
	text := fmt.Sprintf("%s %d added, %d changed, %d unchanged", k.Kind, k.Added, k.Changed, k.Unchanged)
	for _, more := range []struct {
		n    int64
		what string
	}{{k.Removed, "removed"}, {k.Missing, "not there"}, {k.SetAside, "set aside"}, {k.Suppressed, "erased before"}} {
		if more.n > 0 {
			text += fmt.Sprintf(", %d %s", more.n, more.what)
		}
	}
	return text
}

// maxSetAside bounds what an import remembers of bad lines.
const maxSetAside = 10_000

// allowsBad reports whether so many bad lines may be, among so many, or among as many as come.
func (l Limit) allowsBad(bad, lines int64, isEnd bool) bool {
	if l.percent && isEnd {
		return bad*100 <= l.number*lines
	}
	return bad <= maxSetAside && (l.percent || bad <= l.number)
}

// Import reads whole files into the database, as the owner, or nothing of any. The
// connection must be in no transaction, and is closed when ctx ends meanwhile. Bad lines
// are LineErrors; an input that is not whole is ErrIncomplete.
func Import(ctx context.Context, conn *pgx.Conn, o Options, sources ...Source) (Summary, error) {
	start := time.Now()
	o.Command = cmp.Or(o.Command, "import")
	w := &writer{decoder: newDecoder(ctx, o, sources), written: map[*kind]*KindSummary{}}
	err := transact(ctx, conn, "imported", o.Command, func(tx pgx.Tx) error {
		w.tx, w.queries = tx, db.New(tx)
		if err := w.run(ctx, o.Replace, start); err != nil || !o.DryRun {
			return err
		}
		return errDryRun
	})
	if err != nil && !errors.Is(err, errDryRun) {
		w.noteFailure(ctx, conn, start, err)
		return Summary{}, err
	}
	return Summary{
		Lines:    w.decoder.records,
		Bytes:    w.decoder.lines.bytes,
		Elapsed:  time.Since(start),
		Kinds:    w.summary(),
		Warnings: w.decoder.warnings,
		SetAside: w.decoder.bad,
	}, nil
}

var errDryRun = errors.New("this was a dry run")

// sessionSettings sets what the session or the server set up for short queries, which
// would stop a long import. Settings that a server does not know are left out.
const sessionSettings = `SELECT set_config(s.name, s.value, true)
	FROM (VALUES
		-- The work ends with its client. Windows has no such check.
		('client_connection_check_interval', CASE WHEN version() ~ 'Visual C|mingw' THEN '0' ELSE '500ms' END),
		('application_name', 'clientintel ' || $1),
		('statement_timeout', '0'),
		('lock_timeout', '0'),
		('transaction_timeout', '0'),
		('idle_in_transaction_session_timeout', '0'),
		('work_mem', '64MB'),
		('temp_buffers', '64MB'),
		('jit', 'off'),
		-- Where tables are distributed: a statement over all clients waits for no other, and
		-- an import is larger than what they let pass by default.
		('citus.enable_deadlock_prevention', 'off'),
		('citus.max_intermediate_result_size', '-1'),
		-- A quarter of an import's work would be pglz; lz4 is also read faster.
		('default_toast_compression', 'lz4')
	) AS s (name, value)
	LEFT JOIN pg_settings AS p ON p.name = s.name
	-- Not all of Citus' are listed.
	WHERE (p.name IS NOT NULL OR s.name LIKE 'citus.%')
		AND (p.enumvals IS NULL OR s.value = ANY (p.enumvals))`

// transact commits what do does, or nothing: its error says that nothing was done, unless
// that is not known.
func transact(ctx context.Context, conn *pgx.Conn, done, command string, do func(pgx.Tx) error) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
	if err == nil {
		defer rollback(conn, tx)
		_, err = tx.Exec(ctx, sessionSettings, command)
	}
	if err == nil {
		err = do(tx)
	}
	if err == nil {
		// The checks of the commit, now, while they can still be interrupted.
		_, err = tx.Exec(ctx, "SET CONSTRAINTS ALL IMMEDIATE")
	}
	if err == nil {
		// A commit that is interrupted leaves unknown whether it happened.
		err = tx.Commit(context.WithoutCancel(ctx))
		if err != nil && postgres.SQLState(err) == "" {
			return fmt.Errorf("it is not known whether anything was %s, run it again: %w", done, err)
		}
	}
	switch bad, ok := errors.AsType[LineErrors](err); {
	case ok:
		return bad
	case err != nil && ctx.Err() != nil:
		return fmt.Errorf("nothing was %s: interrupted: %w", done, context.Cause(ctx))
	case err != nil:
		return fmt.Errorf("nothing was %s: %w", done, err)
	}
	return nil
}

// rollback also runs when the caller's context has ended.
func rollback(conn *pgx.Conn, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := tx.Rollback(ctx); err != nil && !errors.Is(err, pgx.ErrTxClosed) {
		_ = conn.Close(ctx)
	}
}

package importer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apikey"
)

// noteSuccess notes the import for each of its clients, with what it did if that is one.
func (w *writer) noteSuccess(ctx context.Context, started time.Time) error {
	var done []byte
	if len(w.clients) == 1 {
		var err error
		if done, err = json.Marshal(w.summary()); err != nil {
			return err
		}
	}
	if err := w.queries.ForgetOldImports(ctx, w.clients); err != nil {
		return err
	}
	o := w.decoder.options
	return w.queries.NoteImport(ctx, db.NoteImportParams{
		ClientIds: w.clients, Command: o.Command, Source: o.Source, Account: apikey.Account(), StartedAt: started, Kinds: done,
	})
}

// noteFailure notes an import that was rolled back, if the database can be reached.
func (w *writer) noteFailure(ctx context.Context, conn *pgx.Conn, started time.Time, cause error) {
	o := w.decoder.options
	if o.DryRun {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	clients := w.clients
	if len(clients) == 0 && w.replacing != nil {
		clients = w.replacing.clients
	}
	if conn.IsClosed() { // as it is when the import was interrupted
		again, err := pgx.ConnectConfig(ctx, conn.Config())
		if err != nil {
			return
		}
		defer again.Close(ctx)
		conn = again
	}
	_ = NoteFailure(ctx, conn, clients, o.Command, o.Source, started, cause)
}

// NoteFailure notes that nothing of the clients was imported, and why.
func NoteFailure(ctx context.Context, conn *pgx.Conn, clients []uuid.UUID, command, source string, started time.Time, cause error) error {
	return db.New(conn).NoteImport(ctx, db.NoteImportParams{
		ClientIds: clients, Command: command, Source: source, Account: apikey.Account(), StartedAt: started, Error: cause.Error(),
	})
}

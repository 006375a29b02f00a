package importer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
)

// noteImport writes a row for each of an import's clients, or one without a client.
const noteImport = `INSERT INTO imports (client_id, command, source, account, started_at, finished_at, kinds, error)
	SELECT c.id, $2, nullif($3, ''), $4, $5, CASE WHEN $7 = '' THEN clock_timestamp() END, $6, left(nullif($7, ''), 2000)
	FROM unnest(coalesce(nullif($1::uuid[], '{}'), ARRAY[NULL]::uuid[])) AS c (id)`

// forgetImports ends what a client's notes take. The last success is newer.
const forgetImports = `DELETE FROM imports AS i WHERE i.client_id = ANY ($1::uuid[]) AND i.started_at < now() - interval '90 days'`

// noteSuccess notes the import for each of its clients, with what it did if that is one.
func (w *writer) noteSuccess(ctx context.Context, started time.Time) error {
	var done []byte
	if len(w.clients) == 1 {
		var err error
		if done, err = json.Marshal(w.summary()); err != nil {
			return err
		}
	}
	if err := w.exec(ctx, forgetImports, w.clients); err != nil {
		return err
	}
	o := w.decoder.options
	return w.exec(ctx, noteImport, w.clients, o.Command, o.Source, apikey.Account(), started, done, "")
}

// noteFailure notes an import that was rolled back, if the database can be reached.
func (w *writer) noteFailure(ctx context.Context, conn *pgx.Conn, started time.Time, cause error) {
	o := w.decoder.options
	if o.DryRun {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	clients := append([]uuid.UUID{}, w.clients...)
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
	_, err := conn.Exec(ctx, noteImport, clients, command, source, apikey.Account(), started, nil, cause.Error())
	return err
}

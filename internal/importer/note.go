package importer

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
)

// noteSuccess notes the import for each of its clients, with what it did if that is one.
func (w *writer) noteSuccess(ctx context.Context) error {
	var done []byte
	if len(w.clients) == 1 {
		var err error
		if done, err = json.Marshal(w.summary()); err != nil {
			return err
		}
	}
	o := w.decoder.options
	for _, client := range clientsOrNone(w.clients) {
		err := w.exec(ctx, "noting the import", `INSERT INTO imports (client_id, command, source, account, kinds)
			VALUES ($1, $2, nullif($3, ''), $4, $5)`, client, o.Command, o.Source, apikey.Account(), done)
		if err != nil {
			return err
		}
	}
	return nil
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
	for _, client := range clientsOrNone(clients) {
		_, _ = conn.Exec(ctx, `INSERT INTO imports (client_id, command, source, account, started_at, finished_at, error)
			VALUES ($1, $2, nullif($3, ''), $4, $5, NULL, left($6, 2000))`, client, o.Command, o.Source, apikey.Account(), started, cause.Error())
	}
}

// clientsOrNone is a null where there is no client.
func clientsOrNone(clients []uuid.UUID) []*uuid.UUID {
	if len(clients) == 0 {
		return []*uuid.UUID{nil}
	}
	all := make([]*uuid.UUID, len(clients))
	for i := range clients {
		all[i] = &clients[i]
	}
	return all
}

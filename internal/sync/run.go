package sync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/importer"
)

// Options of a run.
type Options struct {
	// URL is the source's, where that is a database.
	URL string
	// Client is the only one that is synced, by id or slug. Empty: all.
	Client string
	// DryRun finds out what would change, and changes nothing.
	DryRun bool
	// Tell is told what became of each client, and whom a client waits for.
	Tell func(string)
	// Reconnect connects again, when the connection was lost, and calls do.
	Reconnect func(ctx context.Context, do func(*pgx.Conn) error) error
}

// Result is what became of one client.
type Result struct {
	Client string    `json:"client"`
	ID     uuid.UUID `json:"id"`
	// Error is why nothing of the client was changed; empty when it was synced.
	Error string                 `json:"error,omitempty"`
	Kinds []importer.KindSummary `json:"kinds"`
	// Warnings are rows that were imported and are likely mistakes, SetAside bad ones.
	Warnings []*importer.LineError `json:"warnings,omitempty"`
	SetAside []*importer.LineError `json:"set_aside,omitempty"`
}

// Report is what became of a run.
type Report struct {
	DryRun  bool     `json:"dry_run"`
	Clients []Result `json:"clients"`
	// Ended are clients that were synced before and that the source lists no more. Their
	// records stay.
	Ended []string `json:"ended"`
	// Error is why the run ended before all clients were tried.
	Error string `json:"error,omitempty"`
}

// Failed counts the clients that were not synced.
func (r Report) Failed() int {
	n := 0
	for _, c := range r.Clients {
		if c.Error != "" {
			n++
		}
	}
	return n
}

// run is a sync under way.
type run struct {
	*Config
	Options
	conn    *pgx.Conn
	queries *importer.Queries
	files   []importer.Source
	rejects io.Writer // nil: what is set aside is told
}

// Run syncs the clients that the source lists, one after the other. Its error is why not all of
// them were tried.
func (c *Config) Run(ctx context.Context, conn *pgx.Conn, o Options) (Report, error) {
	report := Report{DryRun: o.DryRun, Clients: []Result{}, Ended: []string{}}
	r := &run{Config: c, Options: o, conn: conn, queries: importer.NewQueries(o.URL)}
	defer r.queries.Close()
	err := r.run(ctx, &report)
	if err != nil {
		report.Error = err.Error()
	}
	return report, err
}

func (r *run) run(ctx context.Context, report *Report) error {
	clients, err := r.clients(ctx)
	if err != nil {
		return fmt.Errorf("listing the source's clients: %w", err)
	}
	if r.Rejects != "" && !r.DryRun {
		file, err := os.OpenFile(r.relative(r.Rejects), os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return fmt.Errorf("rejects: %w", err)
		}
		defer file.Close()
		r.rejects = file
	}
	listed, slugs := map[uuid.UUID]int{}, map[string]bool{}
	for _, client := range clients {
		listed[client.ID]++
		slugs[client.Slug] = true
	}
	for _, slug := range slices.Sorted(maps.Keys(r.MaxRemovedOf)) {
		if !slugs[slug] {
			r.Tell(slug + ": warning: max_removed_of names it, and the source does not list it")
		}
	}
	for n, client := range clients {
		if r.Client != "" && r.Client != client.Slug && r.Client != client.ID.String() {
			continue
		}
		if client.Problem == "" && listed[client.ID] > 1 {
			client.Problem = "clients: its id is listed twice"
		}
		result, err := r.sync(ctx, client)
		if err != nil {
			return fmt.Errorf("%d of %d clients were not tried: %w", len(clients)-n, len(clients), err)
		}
		report.Clients = append(report.Clients, result)
		r.tell(result)
	}
	if r.Client != "" && len(report.Clients) == 0 {
		return fmt.Errorf("the source lists no client %q", r.Client)
	}
	report.Ended, err = r.ended(ctx, listed)
	return err
}

// clients are those that the source lists.
func (r *run) clients(ctx context.Context) ([]importer.SourceClient, error) {
	var found []importer.SourceClient
	var err error
	if r.Source.Postgres != "" {
		found, err = r.queries.Clients(ctx, r.Clients)
	} else if r.files, err = r.openFiles(); err == nil {
		found, err = importer.ClientsOf(ctx, r.files)
	}
	if err == nil && len(found) == 0 {
		err = errors.New("it lists none")
	}
	return found, err
}

func (r *run) openFiles() ([]importer.Source, error) {
	var sources []importer.Source
	for _, pattern := range r.Source.Files {
		found, err := importer.Files(r.relative(pattern))
		if err != nil {
			return nil, err
		}
		sources = append(sources, found...)
	}
	return sources, nil
}

// sync makes one client's records what the source has. Its error is why no other client can
// be synced either.
func (r *run) sync(ctx context.Context, client importer.SourceClient) (Result, error) {
	result := Result{Client: client.Slug, ID: client.ID, Kinds: []importer.KindSummary{}}
	var done importer.Summary
	var failed error
	if err := r.connected(ctx, func(conn *pgx.Conn) error {
		done, failed = r.importClient(ctx, conn, client)
		return nil
	}); err != nil {
		return result, err
	}
	result.SetAside, result.Warnings = done.SetAside, done.Warnings
	rejected := done.SetAside
	if bad, ok := errors.AsType[importer.LineErrors](failed); ok {
		rejected = bad
	}
	if failed = errors.Join(failed, r.reject(client, rejected)); failed != nil {
		result.Error = failed.Error()
	}
	result.Kinds = append(result.Kinds, done.Kinds...)
	return result, nil
}

// connected calls do with the connection, or with another one when that was lost. A database
// that restarts is waited for.
func (r *run) connected(ctx context.Context, do func(*pgx.Conn) error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	if !r.conn.IsClosed() {
		return do(r.conn)
	}
	for wait := time.Second; ; wait *= 2 {
		isConnected := false
		err := r.Reconnect(ctx, func(conn *pgx.Conn) error {
			isConnected = true
			return do(conn)
		})
		if isConnected || ctx.Err() != nil || wait > maxReconnectWait {
			return err
		}
		r.Tell("the database cannot be reached, and is tried again: " + err.Error())
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// maxReconnectWait is the last of the pauses, which double from a second on.
const maxReconnectWait = 16 * time.Second

// importClient imports what the source has of a client.
func (r *run) importClient(ctx context.Context, conn *pgx.Conn, client importer.SourceClient) (importer.Summary, error) {
	source := filepath.Base(r.path)
	if client.Problem != "" {
		failed := errors.New(client.Problem)
		if r.DryRun {
			return importer.Summary{}, failed
		}
		var of []uuid.UUID
		if client.ID != uuid.Nil {
			of = append(of, client.ID)
		}
		return importer.Summary{}, errors.Join(failed, importer.NoteFailure(ctx, conn, of, command, source, time.Now(), failed))
	}
	return importer.Import(ctx, conn, importer.Options{
		Replace: &importer.Replacement{Clients: []string{client.ID.String()}, Kinds: r.Kinds, MaxRemoved: r.maxRemoved(client.Slug)},
		Only:    r.only(client),
		MaxBad:  r.maxBad,
		DryRun:  r.DryRun,
		Command: command, Source: source,
		MaxWait: r.MaxWait,
		Waiting: func(holder string) { r.Tell(client.Slug + ": " + holder) },
	}, r.sources(client)...)
}

// command is what is noted of each client's import.
const command = "sync"

// only is the client whose lines are read of files, which hold other clients' too.
func (r *run) only(client importer.SourceClient) uuid.UUID {
	if r.files == nil {
		return uuid.Nil
	}
	return client.ID
}

// sources are a client's own record, and then what the source has of it.
func (r *run) sources(client importer.SourceClient) []importer.Source {
	if r.files != nil {
		return r.files
	}
	sources := []importer.Source{importer.Stream("clients", strings.NewReader(client.Line))}
	for _, kind := range r.Kinds {
		sources = append(sources, r.queries.SourceOf(kind, r.Queries[kind], client.ID, client.Key))
	}
	return sources
}

// reject writes bad rows to the file of rejects, a JSON text each.
func (r *run) reject(client importer.SourceClient, rejected []*importer.LineError) error {
	if r.rejects == nil {
		return nil
	}
	encoder := json.NewEncoder(r.rejects)
	for _, bad := range rejected {
		if err := encoder.Encode(struct {
			Client string `json:"client"`
			*importer.LineError
		}{client.Slug, bad}); err != nil {
			return fmt.Errorf("the rejects cannot be written: %w", err)
		}
	}
	return nil
}

// ended are the clients that were synced before by this configuration and are not listed any
// more.
func (r *run) ended(ctx context.Context, listed map[uuid.UUID]int) ([]string, error) {
	ended := []string{}
	err := r.connected(ctx, func(conn *pgx.Conn) error {
		synced, err := db.New(conn).ListLastImports(ctx)
		for _, s := range synced {
			if listed[s.ClientID] == 0 && s.Slug != "" && s.Source != nil && *s.Source == filepath.Base(r.path) {
				ended = append(ended, s.Slug)
			}
		}
		return err
	})
	return ended, err
}

// maxTold bounds how many rows of a client are told.
const maxTold = 20

// tell says what became of a client, and of rows of it.
func (r *run) tell(result Result) {
	r.Tell(result.line())
	rows := func(what string, found []*importer.LineError) {
		for n, row := range found {
			if n == maxTold {
				r.Tell(fmt.Sprintf("%s: %s: %d more", result.Client, what, len(found)-n))
				return
			}
			r.Tell(fmt.Sprintf("%s: %s: %s", result.Client, what, row))
		}
	}
	rows("warning", result.Warnings)
	if r.rejects == nil {
		rows("set aside", result.SetAside)
	}
}

// line says what became of a client.
func (r Result) line() string {
	if r.Error != "" {
		return fmt.Sprintf("%s: failed, and keeps what it had: %s", r.Client, r.Error)
	}
	parts := make([]string, len(r.Kinds))
	for i, k := range r.Kinds {
		parts[i] = k.String()
	}
	return r.Client + ": " + strings.Join(parts, "; ")
}

package sync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
}

// Result is what became of one client.
type Result struct {
	Client string    `json:"client"`
	ID     uuid.UUID `json:"id"`
	// Error is why nothing of the client was changed; empty when it was synced.
	Error string                 `json:"error,omitempty"`
	Kinds []importer.KindSummary `json:"kinds"`
}

// Report is what became of a run.
type Report struct {
	DryRun  bool     `json:"dry_run"`
	Clients []Result `json:"clients"`
	// Ended are clients that were synced before and that the source lists no more. Their
	// records stay.
	Ended []string `json:"ended"`
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
	rejects io.Writer
}

// Run syncs the clients that the source lists, one after the other. Its error is one for
// which no client was tried.
func (c *Config) Run(ctx context.Context, conn *pgx.Conn, o Options) (Report, error) {
	report := Report{DryRun: o.DryRun, Clients: []Result{}, Ended: []string{}}
	r := &run{Config: c, Options: o, conn: conn, queries: importer.NewQueries(o.URL), rejects: io.Discard}
	defer r.queries.Close()
	clients, err := r.clients(ctx)
	if err != nil {
		return report, fmt.Errorf("listing the source's clients: %w", err)
	}
	if c.Rejects != "" {
		file, err := os.OpenFile(c.relative(c.Rejects), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return report, err
		}
		defer file.Close()
		r.rejects = file
	}
	listed := map[uuid.UUID]bool{}
	for _, client := range clients {
		listed[client.ID] = true
		if o.Client != "" && o.Client != client.Slug && o.Client != client.ID.String() {
			continue
		}
		result := r.sync(ctx, client)
		report.Clients = append(report.Clients, result)
		o.Tell(result.line())
	}
	if o.Client != "" && len(report.Clients) == 0 {
		return report, fmt.Errorf("the source lists no client %q", o.Client)
	}
	report.Ended, err = r.ended(ctx, listed)
	return report, err
}

// clients are those that the source lists. Each only once: the second would remove what the
// first brought.
func (r *run) clients(ctx context.Context) ([]importer.SourceClient, error) {
	var found []importer.SourceClient
	var err error
	if r.Source.Postgres != "" {
		found, err = r.queries.Clients(ctx, r.Clients)
	} else if r.files, err = r.openFiles(); err == nil {
		found, err = importer.ClientsOf(ctx, r.files)
	}
	ids, slugs := map[uuid.UUID]bool{}, map[string]bool{}
	for _, c := range found {
		if ids[c.ID] || slugs[c.Slug] {
			return nil, fmt.Errorf("client %s (%s) is listed twice", c.Slug, c.ID)
		}
		ids[c.ID], slugs[c.Slug] = true, true
	}
	if err == nil && len(found) == 0 {
		err = errors.New("it lists none")
	}
	return found, err
}

func (r *run) openFiles() ([]importer.Source, error) {
	var sources []importer.Source
	for _, pattern := range r.Source.Files {
		names, err := filepath.Glob(r.relative(pattern))
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s: no file has such a name", pattern)
		}
		for _, name := range names {
			sources = append(sources, importer.File(name))
		}
	}
	return sources, nil
}

// sync makes one client's records what the source has.
func (r *run) sync(ctx context.Context, client importer.SourceClient) Result {
	result := Result{Client: client.Slug, ID: client.ID, Kinds: []importer.KindSummary{}}
	sources, err := r.sources(client)
	if err != nil {
		result.Error = err.Error()
		return result
	}
	done, err := importer.Import(ctx, r.conn, importer.Options{
		Replace: &importer.Replacement{Clients: []string{client.ID.String()}, Kinds: r.Kinds, MaxRemoved: r.maxRemoved(client.Slug)},
		Only:    r.only(client),
		MaxBad:  r.maxBad,
		DryRun:  r.DryRun,
		Command: "sync", Source: filepath.Base(r.path),
		MaxWait: r.MaxWait,
		Waiting: func(holder string) { r.Tell(client.Slug + ": " + holder) },
	}, sources...)
	rejected := done.SetAside
	if bad, ok := errors.AsType[importer.LineErrors](err); ok {
		rejected = bad
	}
	err = errors.Join(err, r.reject(client, rejected))
	if err != nil {
		result.Error = err.Error()
	}
	result.Kinds = append(result.Kinds, done.Kinds...)
	return result
}

// only is the client whose lines are read of files, which hold other clients' too.
func (r *run) only(client importer.SourceClient) uuid.UUID {
	if r.files == nil {
		return uuid.Nil
	}
	return client.ID
}

// sources are a client's own record, and then what the source has of it.
func (r *run) sources(client importer.SourceClient) ([]importer.Source, error) {
	if r.files != nil {
		return r.files, nil
	}
	line, err := json.Marshal(map[string]string{"kind": "client", "id": client.ID.String(), "slug": client.Slug, "name": client.Name})
	sources := []importer.Source{importer.Stream("clients", strings.NewReader(string(line)))}
	for _, kind := range r.Kinds {
		sources = append(sources, r.queries.SourceOf(kind, r.Queries[kind], kind, client.ID, client.Key))
	}
	return sources, err
}

// reject writes bad rows to the file of rejects, a JSON text each.
func (r *run) reject(client importer.SourceClient, rejected []*importer.LineError) error {
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

// ended are the clients that were synced before and are not listed any more.
func (r *run) ended(ctx context.Context, listed map[uuid.UUID]bool) ([]string, error) {
	synced, err := db.New(r.conn).ListLastImports(ctx)
	ended := []string{}
	for _, s := range synced {
		if !listed[s.ClientID] && s.Slug != "" {
			ended = append(ended, s.Slug)
		}
	}
	return ended, err
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

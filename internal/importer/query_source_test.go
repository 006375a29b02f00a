package importer_test

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

// Each row is a line, of one moment for all queries, whatever stands at a query's end.
func TestQueries_RowsAreLines(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	// A table of the source's own: of a distributed one, Citus reads each shard in a
	// transaction of its own moment.
	database.Exec(t, "CREATE TABLE sessions (n integer); GRANT SELECT ON sessions TO PUBLIC")
	queries := importer.NewQueries(database.OwnerURL)
	sources := []importer.Source{
		queries.Source("rows.sql", "SELECT n AS id, 'a' || chr(10) AS name FROM generate_series(1, 2) AS n -- two"),
		queries.Source("sessions.sql", "SELECT count(*) AS n FROM sessions;\n"),
	}
	defer sources[0].Close()
	for n, want := range []string{
		"{\"id\": 1, \"name\": \"a\\n\"}\n{\"id\": 2, \"name\": \"a\\n\"}\n",
		"{\"n\": 0}\n",
	} {
		reader, err := sources[n].Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(reader)
		if err != nil || string(got) != want {
			t.Errorf("%s gives %q (%v), want %q", sources[n].Name, got, err, want)
		}
		// Written after the first query began: no query sees it.
		database.Exec(t, "INSERT INTO sessions VALUES (1)")
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An error may be logged: it quotes neither the URL nor its password.
func TestQueries_TellNoPassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"postgres://reader:s3cret@127.0.0.1:1/none",
		"postgres://reader:s3cret@127.0.0.1:port/none",
		"host=127.0.0.1 port=1 user=reader password=s3cret dbname=none sslmode=never",
	} {
		_, err := importer.NewQueries(url).Source("rows.sql", "SELECT 1").Open(t.Context())
		if err == nil || !strings.HasPrefix(err.Error(), "cannot connect: ") || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// The connection ends with the import, however that ends.
func TestQueries_LeaveNoConnection(t *testing.T) {
	t.Parallel()
	source, target := dbtest.New(t), dbtest.New(t)
	source.Exec(t, `CREATE SCHEMA failing;
		CREATE FUNCTION failing.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT (1/0)::text';
		GRANT USAGE ON SCHEMA failing TO PUBLIC`)
	url := source.OwnerURL + map[bool]string{true: "&", false: "?"}[strings.Contains(source.OwnerURL, "?")] + "application_name=leaving"
	conn, err := pgx.Connect(t.Context(), target.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	const client = "SELECT 'client' AS kind, '6f1c2d34-8a4b-4c7e-9f10-2b7d5e8c9a01' AS id, 'acme' AS slug, 'Acme' AS name"
	for name, c := range map[string]struct {
		url, want string
		queries   []string
	}{
		"it is imported":              {url, "", []string{client, client}},
		"a later query fails":         {url, "division by zero", []string{client, "SELECT 1/0 AS id", client}},
		"a later query is no SQL":     {url, "syntax error", []string{client, "SELECT FROM WHERE", client}},
		"lines before the last query": {url, "nothing was imported: the first 20 bad lines", []string{"SELECT n FROM generate_series(1, 30) AS n", client}},
		"a setting is refused":        {url + "&search_path=failing,pg_catalog", "division by zero", []string{client, client}},
	} {
		queries := importer.NewQueries(c.url)
		var sources []importer.Source
		for n, query := range c.queries {
			sources = append(sources, queries.Source(fmt.Sprintf("%d.sql", n), query))
		}
		if _, err := importer.Import(t.Context(), conn, importer.Options{}, sources...); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
		// The import does not wait for its reader, nor the database for its process.
		left := 1
		for deadline := time.Now().Add(5 * time.Second); left > 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			source.Query(t, &left, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'leaving'")
		}
		runtime.KeepAlive(queries) // collecting a connection would close it
		if left > 0 {
			t.Errorf("%s: %d connections are left", name, left)
			source.Exec(t, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'leaving'")
		}
	}
}

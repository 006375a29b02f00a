package importer_test

import (
	"io"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
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
	defer queries.Close()
	for n, want := range []string{
		"{\"id\": 1, \"name\": \"a\\n\"}\n{\"id\": 2, \"name\": \"a\\n\"}\n",
		"{\"n\": 0}\n",
	} {
		reader, err := sources[n].Open(t.Context())
		require.NoError(t, err)
		got, err := io.ReadAll(reader)
		if err != nil || string(got) != want {
			t.Errorf("%s gives %q (%v), want %q", sources[n].Name, got, err, want)
		}
		// Written after the first query began: no query sees it.
		database.Exec(t, "INSERT INTO sessions VALUES (1)")
		check.NoError(t, reader.Close())
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

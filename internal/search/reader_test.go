package search_test

import (
	"context"
	"log/slog"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
	"github.com/clientintel/clientintel/sql/migrations"
)

// queries are texts to look for: whole words, pieces of them, what stands
// between words and between fields, and what is in no corpus.
func queries(random *rand.Rand) []string {
	all := append(words(), "supp", "ort", "tsu", "crème brûlée", "σίσυφοσ", "ςομεγα", "00%", "_", "a_", "k\\s", "rt; su", "zzz", "zz", "🙂")
	for range 30 {
		if text := strings.TrimSpace(phrase(random)); text != "" {
			all = append(all, text)
		}
	}
	return all
}

// holdAgainstOracle searches for everything in every way.
func holdAgainstOracle(t *testing.T, reader *search.Reader, caller auth.Caller, all []said, random *rand.Rand, how string) {
	t.Helper()
	spring, ended, unknown := "spring", "ended", "unheard-of"
	for _, text := range queries(random) {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		for range 3 {
			q := search.Query{
				Text: text, Campaign: []*string{nil, nil, &spring, &ended, &unknown}[random.IntN(5)], Limit: []int{1, 3, 200}[random.IntN(3)],
			}
			found, err := reader.Search(context.Background(), caller, q)
			require.NoError(t, err, how, text)
			got, want := spellHits(found.Hits), expect(all, q)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("%s: %q at limit %d in %v:\n got %s\nwant %s", how, text, q.Limit, q.Campaign, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
		}
	}
}

// Whichever way a search is carried out, it finds what the oracle finds: all in
// order, from the trigrams, or partly from these; in any locale of the database.
func TestSearch_EqualsTheOracleInEveryWay(t *testing.T) {
	t.Parallel()
	for name, locale := range map[string]string{"letters by Unicode": "", "letters by ASCII": "C"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := dbtest.New(t)
			url := database.OwnerURL
			if locale != "" {
				url = inLocale(t, database, locale)
			}
			conn := dbtest.Connect(t, url)
			random := rand.New(rand.NewPCG(21, 22))
			client, other := addClient(t, conn, "acme", "legacy"), addClient(t, conn, "globex", "canonical")
			all := map[uuid.UUID][]said{client.ClientID: corpus(t, conn, client, random, 90), other.ClientID: corpus(t, conn, other, random, 60)}
			limits := limitsOf(5)
			limits.First = 2
			whole, hasty := openReader(t, url, limitsOf(math.MaxInt32)), openReader(t, url, limits)
			check := func(how string, reader *search.Reader) {
				for _, caller := range []auth.Caller{client, other} {
					holdAgainstOracle(t, reader, caller, all[caller.ClientID], random, how)
				}
			}
			check("all in order", whole)
			check("none in the index", hasty)
			if n := index(t, conn, 40); n == 0 {
				t.Fatal("nothing was indexed")
			}
			check("older ones in the index", hasty)
			index(t, conn, 0)
			check("all in the index", hasty)
		})
	}
}

// A default of the database that lets GIN indexes return a random part of the
// matches takes no hit from a search.
func TestSearch_FindsAllUnderAFuzzyLimit(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	random := rand.New(rand.NewPCG(21, 22))
	client := addClient(t, conn, "acme", "legacy")
	all := corpus(t, conn, client, random, 300)
	index(t, conn, 0)
	database.Exec(t, "ALTER DATABASE "+database.Name+" SET gin_fuzzy_search_limit = 1")
	limits := limitsOf(5)
	limits.First = 2
	holdAgainstOracle(t, openReader(t, database.OwnerURL, limits), client, all, random, "all in the index")
}

// inLocale migrates a database whose letters are those of another locale.
func inLocale(t *testing.T, d *dbtest.Database, locale string) string {
	t.Helper()
	admin := dbtest.Connect(t, d.SuperuserURL)
	name := d.Name + "_in_" + strings.ToLower(locale)
	dbtest.Exec(t, admin, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8' LOCALE '"+locale+"' OWNER "+embedded.Owner)
	t.Cleanup(func() {
		if _, err := admin.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	url := strings.ReplaceAll(d.OwnerURL, d.Name, name)
	_, err := postgres.Migrate(context.Background(), url, migrations.Files, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.NoError(t, search.Check(context.Background(), dbtest.Connect(t, url)), locale)
	return url
}

// index puts all documents but the newest keep of each client into the index.
func index(t *testing.T, conn *pgx.Conn, keep int64) int {
	t.Helper()
	total := 0
	for {
		n, err := search.Index(context.Background(), conn, 0, keep, 7)
		require.NoError(t, err)
		if n == 0 {
			return total
		}
		total += n
	}
}

package server_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

func export(t *testing.T, conn *pgx.Conn, client uuid.UUID) string {
	t.Helper()
	var out bytes.Buffer
	_, err := importer.Export(t.Context(), conn, client, true, &out)
	require.NoError(t, err)
	return out.String()
}

// importText imports a file with its keys.
func importText(t *testing.T, conn *pgx.Conn, file string) error {
	t.Helper()
	_, err := importer.Import(t.Context(), conn, importer.Options{WithKeys: true}, importer.Stream("the input", strings.NewReader(file)))
	return err
}

func sorted(file string) []string {
	return slices.Sorted(slices.Values(strings.Split(file, "\n")))
}

// A client's export, imported elsewhere, is the client: its keys work, its walks go
// on where the cursors' secret is shared, and it has used as much of its quota.
// Purged afterwards, nothing of it is left but the register of ids.
func TestAClientMovesToAnotherDatabase(t *testing.T) {
	t.Parallel()
	shared := func(s *config.Server) { s.CursorSecret = strings.Repeat("shared secret ", 4) }
	source, seed := apitest.Start(t, shared)
	target, other := apitest.Start(t, shared)
	acme := seed.Clients["acme"]
	from, to := dbtest.Connect(t, source.Database.OwnerURL), dbtest.Connect(t, target.Database.OwnerURL)
	_, err := importer.Purge(t.Context(), to, other.Clients["acme"], nil)
	require.NoError(t, err)

	campaign := seed.Campaign(t, "acme", nil)
	for range 5 {
		seed.Interview(t, "acme", apitest.Fields{"campaign_id": campaign, "custom_extraction": `{"n": 1.500, "best_quote": "é\n\\ \u0001"}`})
	}
	lane := seed.Lane(t, "acme", nil)
	seed.SynthesisDocument(t, "acme", apitest.Fields{"lane_id": lane})
	seed.PortalDocument(t, "acme", apitest.Fields{"measurement_snapshot_id": seed.SavedBasis(t, "acme", []uuid.UUID{campaign}, nil)})
	// The seed writes by hand; the register knows what was imported.
	key := source.KeyFor(t, "acme")
	ids := source.Get(t, interviews, key).List(t).IDs(t)
	page := source.Get(t, interviews+"?limit=2", key)
	cursor := page.List(t).NextCursor(t)
	if got := page.Header.Get("X-RateLimit-Remaining"); got != "599" {
		t.Fatalf("remaining %s", got)
	}

	file := export(t, from, acme)
	if strings.Contains(file, key) || strings.Contains(file, key[18:]) {
		t.Error("the export holds a secret")
	}
	if _, err := importer.Import(t.Context(), to, importer.Options{}, importer.Stream("the input", strings.NewReader(file))); err == nil ||
		!strings.Contains(err.Error(), "api_key is accepted only with --with-keys") {
		t.Errorf("keys without being asked for: %v", err)
	}
	for range 2 { // again changes nothing
		require.NoError(t, importText(t, to, file))
	}
	if got, want := export(t, to, acme), file; !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("the export of the copy differs:\n%s\n%s", got, want)
	}

	rest := target.Get(t, interviews+"?limit=200&starting_after="+cursor, key).WantStatus(t, 200)
	check.Slices(t, rest.List(t).IDs(t), ids[2:], "the walk goes on with")
	check.Equal(t, rest.Header.Get("X-RateLimit-Remaining"), "598", "remaining")

	removed, err := importer.Purge(t.Context(), from, acme, nil)
	require.NoError(t, err)
	for _, r := range removed {
		if r.Of == "key_usage" {
			continue // it is written later
		}
		if want := map[string]int64{"interview": 5, "search_document": 5, "request_log": 2}[r.Of]; want == 0 && r.Removed != 1 || want > 0 && r.Removed != want {
			t.Errorf("got %+v", r)
		}
	}
	source.Get(t, interviews, key).WantStatus(t, 401)
	left := dbtest.Value[[]string](t, seed, `WITH tables AS MATERIALIZED (
			SELECT c.relname
			FROM pg_class AS c
			JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'client_id'
			WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.relname NOT IN ('record_owners', 'key_audits')
		)
		SELECT coalesce(array_agg(t.relname::text), '{}')
		FROM tables AS t
		WHERE query_to_xml(format('SELECT FROM %I WHERE client_id = %L', t.relname, $1::text), false, true, '')::text <> ''`, acme.String())
	if len(left) > 0 {
		t.Errorf("rows are left in %v", left)
	}
	// Another client's are there.
	source.Get(t, interviews, source.KeyFor(t, "globex")).WantStatus(t, 200)
}

// What an import with keys must not do: bring back, widen or take over a key.
func TestImportedKeysAreNeverWidened(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	conn := dbtest.Connect(t, srv.Database.OwnerURL)
	acme := seed.Clients["acme"]
	srv.KeyFor(t, "acme", "read:campaigns")
	// When it expires differs, too, so the import writes the key.
	seed.Exec(t, "UPDATE api_keys SET expires_at = now() + interval '1 day' WHERE client_id = $1", acme)
	file := export(t, conn, acme)
	seed.Exec(t, "UPDATE api_keys SET revoked_at = now(), expires_at = NULL WHERE client_id = $1", acme)
	require.NoError(t, importText(t, conn, file))
	revoked := dbtest.Value[int](t, seed, "SELECT count(*) FROM api_keys WHERE client_id = $1 AND revoked_at IS NOT NULL AND expires_at IS NOT NULL", acme)
	check.Equal(t, revoked, 1, "the import brought a revoked key back")
	_, hash, _ := strings.Cut(file, `"secret_hash":"`)
	hash, _, _ = strings.Cut(hash, `"`)
	for name, change := range map[string]*strings.Replacer{
		"more scopes":    strings.NewReplacer(`["read:campaigns"]`, `["read:campaigns","read:transcripts"]`),
		"another secret": strings.NewReplacer(hash, strings.Repeat("0", len(hash))),
		"another client": strings.NewReplacer(acme.String(), seed.Clients["globex"].String(), `"acme"`, `"globex"`),
	} {
		changed := change.Replace(file)
		check.Error(t, importText(t, conn, changed), "which is there already, in more than when it ends", name)
	}
}

// What nobody may issue for a client, no import makes: a key with another scope than it may
// have, or more in force than it may have. Keys that have ended count for neither.
func TestImportedKeysAreHeldToTheClientsLimits(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	conn := dbtest.Connect(t, srv.Database.OwnerURL)
	acme := seed.Clients["acme"]
	line := func(n int, scope, revoked string) string {
		return fmt.Sprintf(`{"kind":"api_key","client_id":"%s","id":"%s","prefix":"%012d","name":"n","secret_hash":"%064x","scopes":["%s"],"created_at":"2026-01-01T00:00:00Z","revoked_at":%s}`+"\n",
			acme, uuid.New(), n, n, scope, revoked)
	}
	seed.Exec(t, "UPDATE clients SET allowed_scopes = '{read:campaigns}' WHERE id = $1", acme)
	seed.Exec(t, `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes)
		SELECT lpad(n::text, 12, 'x'), gen_random_uuid(), $1, 'n', sha256('x'), '{}' FROM generate_series(1, 499) AS n`, acme)
	const ended = `"2026-01-02T00:00:00Z"`
	for name, c := range map[string]struct{ lines, refused string }{
		"another scope":  {line(1, "read:transcripts", "null"), "may have read:campaigns only"},
		"two more":       {line(2, "read:campaigns", "null") + line(3, "read:campaigns", "null"), "more than 500 keys in force"},
		"ended and last": {line(4, "read:transcripts", ended) + line(5, "read:campaigns", ended) + line(6, "read:campaigns", "null"), ""},
	} {
		_, err := importer.Import(t.Context(), conn, importer.Options{WithKeys: true}, importer.Stream("the input", strings.NewReader(c.lines)))
		if c.refused == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s: %v, want %q", name, err, c.refused)
		}
		seed.Exec(t, "DELETE FROM api_keys WHERE client_id = $1 AND prefix LIKE '0%'", acme)
	}
}

// A key that was revoked after an export, and then purged, is not brought back by that
// export; and what an import does to keys is noted.
func TestImportedKeysStayRevokedAndAreNoted(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*testing.T, *pgx.Conn, uuid.UUID){
		"purged": func(t *testing.T, conn *pgx.Conn, client uuid.UUID) {
			_, err := importer.Purge(t.Context(), conn, client, nil)
			require.NoError(t, err)
		},
		"deleted": func(t *testing.T, conn *pgx.Conn, client uuid.UUID) {
			line := `{"op":"delete","kind":"client","id":"` + client.String() + `"}`
			_, err := importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", strings.NewReader(line)))
			require.NoError(t, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv, seed := apitest.Start(t)
			conn, keys := dbtest.Connect(t, srv.Database.OwnerURL), apikey.NewRegistry(dbtest.Connect(t, srv.Database.OwnerURL))
			acme := seed.Clients["acme"]
			revoked := srv.Issue(t, apikey.Request{Client: "acme", Name: "acme\n\x1b[2K\u009b2K\\\"x", Scopes: auth.All()}).Key
			file := export(t, conn, acme)
			importFile := func() {
				t.Helper()
				require.NoError(t, importText(t, conn, file))
			}
			// A purge remembers that it ends in a week, before it is revoked at once.
			_, err := keys.Rotate(t.Context(), apikey.Named{Key: revoked[4:16]}, apikey.Rotation{Grace: 7 * 24 * time.Hour}, apikey.By{}, shown)
			require.NoError(t, err)
			_, err = importer.Purge(t.Context(), conn, acme, nil)
			require.NoError(t, err)
			importFile()
			srv.Get(t, interviews, revoked).WantStatus(t, 200)
			_, err = keys.Revoke(t.Context(), apikey.Named{Key: revoked[4:16]}, apikey.By{})
			require.NoError(t, err)
			remove(t, conn, acme)
			importFile()
			check.Contains(t, string(srv.Get(t, interviews, revoked).WantStatus(t, 401).Body), "inactive_api_key", "the revoked key")
			audits, err := keys.Audits(t.Context(), "acme")
			if err != nil || len(audits) == 0 {
				t.Fatalf("nothing is noted: %v", err)
			}
			last := audits[len(audits)-1]
			if last.Action != "import" || strings.HasSuffix(last.Detail, "revoked no") || last.Account != apikey.Account() || last.ClientID != acme {
				t.Errorf("noted: %+v", last)
			}
			if !strings.HasPrefix(last.Detail, `new: "acme\n\u001b[2K?2K\\\"x", scopes `) {
				t.Errorf("the name is noted as %q", last.Detail)
			}
			// Again, it neither changes nor notes anything; nor is another last use noted.
			importFile()
			file = strings.Replace(file, `"last_used_at":null`, `"last_used_at":"2999-01-01T00:00:00Z"`, 1)
			importFile()
			check.Equal(t, dbtest.Value[int](t, seed, "SELECT count(*) FROM api_keys WHERE client_id = $1 AND last_used_at = '2999-01-01 00:00:00+00'", acme), 1, "keys whose last use moved")
			if again, _ := keys.Audits(t.Context(), "acme"); len(again) != len(audits) {
				t.Errorf("%d notes, want %d", len(again), len(audits))
			}
		})
	}
}

// Rows of two databases are not mixed in a key's last hour: admit would count wrong.
func TestImportedLogRowsAreNotMixedWithOwnOnes(t *testing.T) {
	t.Parallel()
	source, seed := apitest.Start(t)
	target, other := apitest.Start(t)
	acme := seed.Clients["acme"]
	to := dbtest.Connect(t, target.Database.OwnerURL)
	_, err := importer.Purge(t.Context(), to, other.Clients["acme"], nil)
	require.NoError(t, err)
	key := source.KeyFor(t, "acme")
	move := func() error { return importText(t, to, export(t, dbtest.Connect(t, source.Database.OwnerURL), acme)) }
	source.Get(t, interviews, key).WantStatus(t, 200)
	require.NoError(t, move())
	target.Get(t, interviews, key).WantStatus(t, 200)
	check.NoError(t, move(), "what is there already")
	source.Get(t, interviews, key).WantStatus(t, 200)
	check.Error(t, move(), "in the last hour: import again when it has passed", "rows of two databases")
	other.Exec(t, "UPDATE request_log SET at = at - interval '61 minutes' WHERE client_id = $1", acme)
	check.NoError(t, move(), "when the hour has passed")
}

// A request whose admission is under way is waited for: none logs a row after a purge.
func TestPurge_WaitsForRequestsUnderWay(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	acme := seed.Clients["acme"]
	srv.KeyFor(t, "acme")
	admission, err := dbtest.Connect(t, srv.Database.OwnerURL).Begin(t.Context())
	require.NoError(t, err)
	dbtest.Exec(t, admission, `SELECT pg_advisory_xact_lock(hashtextextended(k.prefix, 600)) FROM api_keys AS k WHERE k.client_id = $1`, acme)
	dbtest.Exec(t, admission, `INSERT INTO request_log (client_id, key_id, at, seq, route)
		SELECT k.client_id, k.id, now(), 1, 'x' FROM api_keys AS k WHERE k.client_id = $1`, acme)
	purger := dbtest.Connect(t, srv.Database.OwnerURL)
	purged := make(chan error, 1)
	go func() {
		_, err := importer.Purge(context.Background(), purger, acme, nil)
		purged <- err
	}()
	select {
	case err := <-purged:
		t.Fatalf("the purge did not wait: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	require.NoError(t, admission.Commit(t.Context()))
	require.NoError(t, <-purged)
	left := dbtest.Value[int](t, seed, "SELECT count(*) FROM request_log WHERE client_id = $1", acme)
	check.Equal(t, left, 0, "rows left")
}

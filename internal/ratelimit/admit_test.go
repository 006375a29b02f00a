package ratelimit_test

import (
	"crypto/sha256"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
	"github.com/clientintel/clientintel/internal/test/require"
)

const (
	most   = 60
	window = time.Minute
)

var (
	secret = sha256.Sum256([]byte("secret"))
	wrong  = sha256.Sum256([]byte("another"))
)

// admitter calls the database's function the way the limiter does.
type admitter struct {
	conn  *pgx.Conn
	shift time.Duration
}

type attempt struct {
	key         *model
	prefix      string
	rightSecret bool
}

// The database's window equals the model's over random groups of several keys,
// wrong secrets, unknown prefixes, keys that end, and leaps of the clock.
func TestAdmit_EqualsTheModel(t *testing.T) {
	t.Parallel()
	d := &admitter{conn: dbtest.Connect(t, dbtest.New(t).OwnerURL)}
	now := time.Now()
	client := insertClient(t, d.conn)
	keys := []*model{
		{prefix: "busy"}, {prefix: "spare"}, {prefix: "third"},
		{prefix: "revoked", revokedAt: now.Add(5 * window)},
		{prefix: "expiring", expiresAt: now.Add(9 * window)},
	}
	for _, key := range keys {
		key.client = &client
		insertKey(t, d.conn, key)
	}
	decoy := &model{}
	for _, key := range append(keys, decoy) {
		key.max, key.window = most, window
	}
	random := rand.New(rand.NewPCG(7, 8))
	for step := range 1200 {
		switch random.IntN(8) {
		case 0, 1:
			d.shift += time.Duration(random.Int64N(int64(window / 5)))
		case 2:
			d.shift -= time.Duration(random.Int64N(int64(window / 20)))
		case 3:
			if random.IntN(10) == 0 {
				d.shift += window + time.Second
			}
		}
		calm := random.IntN(2) == 0
		size := 1
		if random.IntN(2) == 0 {
			size += random.IntN(40)
		}
		group := make([]attempt, size)
		for i := range group {
			key := keys[random.IntN(len(keys))]
			if random.IntN(3) == 0 {
				key = keys[0]
			}
			group[i] = attempt{key, key.prefix, calm || random.IntN(6) > 0}
			if !calm && random.IntN(10) == 0 {
				group[i] = attempt{decoy, "no key has this", true}
			}
		}
		d.admit(t, step, group)
	}
	var kept int
	if err := d.conn.QueryRow(t.Context(), "SELECT count(*) FROM request_log WHERE key_id = '00000000-0000-0000-0000-000000000000' AND at > $1",
		decoy.last.Add(-window)).Scan(&kept); err != nil {
		t.Fatal(err)
	}
	if kept > most {
		t.Errorf("%d rows of unknown prefixes are kept in one window, want %d at most", kept, most)
	}
}

// admit sends one group and holds every answer against the model.
func (d *admitter) admit(t *testing.T, step int, group []attempt) {
	t.Helper()
	prefixes, hashes, routes := make([]string, len(group)), make([][]byte, len(group)), make([]string, len(group))
	for i, a := range group {
		prefixes[i], routes[i], hashes[i] = a.prefix, "listInterviews", wrong[:]
		if a.rightSecret {
			hashes[i] = secret[:]
		}
	}
	rows, err := d.conn.Query(t.Context(), `SELECT a.ordinal, a.verdict, a.client_id, a.at, a.remaining, a.reset_at
		FROM admit($1, $2, $3, $4, $5, $6) AS a ORDER BY a.ordinal`,
		prefixes, hashes, routes, most, interval(window), interval(d.shift))
	require.NoError(t, err)
	var answered, ord, remaining int
	var verdict string
	var client *uuid.UUID
	var at, reset time.Time
	if _, err := pgx.ForEachRow(rows, []any{&ord, &verdict, &client, &at, &remaining, &reset}, func() error {
		answered++
		a := group[ord-1]
		if verdict == "limited" && at.Before(a.key.last) {
			at = a.key.last // the key's window does not advance; how long to wait counts from the present
		}
		if at.Before(a.key.last) {
			t.Errorf("step %d: the time of %q went back from %s to %s", step, a.prefix, a.key.last, at)
		}
		want := a.key.admit(at, a.rightSecret)
		if verdict != want.verdict || remaining != want.remaining || want.told && !reset.Equal(want.reset) {
			t.Fatalf("step %d, request %d of %d, %q: %s, remaining %d, reset %s, want %+v",
				step, ord, len(group), a.prefix, verdict, remaining, reset, want)
		}
		check.Equal(t, a.key.client != nil && a.rightSecret, (client != nil), step, client, a.prefix)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if answered != len(group) {
		t.Fatalf("step %d: %d of %d requests are answered", step, answered, len(group))
	}
}

// The window is half-open: a request that is exactly as old as the window is long
// counts no more. A key's time never runs backwards, so its newest row, put into the
// future, is the clock of the next request.
func TestAdmit_TheWindowIsHalfOpen(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "edge", client: &client})
	future := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
	for seq, at := range []time.Time{future.Add(-window), future.Add(time.Microsecond - window), future} {
		dbtest.Exec(t, conn, `INSERT INTO request_log (client_id, key_id, at, seq, route)
			SELECT k.client_id, k.id, $1, $2, 'x' FROM api_keys AS k WHERE k.prefix = 'edge'`, at, seq+1)
	}
	var verdict string
	var at time.Time
	var remaining int
	if err := conn.QueryRow(t.Context(), "SELECT a.verdict, a.at, a.remaining FROM admit('{edge}', $1, '{x}', 10, $2, '0') AS a",
		[][]byte{secret[:]}, interval(window)).Scan(&verdict, &at, &remaining); err != nil {
		t.Fatal(err)
	}
	if verdict != "admitted" || !at.Equal(future) || remaining != 8 {
		t.Errorf("%s at %s with %d remaining, want admitted at %s with 8", verdict, at, remaining, future)
	}
}

// A flood of wrong secrets leaves no more rows than can matter.
func TestAdmit_AFloodKeepsNoMoreThanCanMatter(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "flooded", client: &client})
	for range 30 {
		if _, err := conn.Exec(t.Context(), "SELECT FROM admit('{flooded,flooded}', $1, '{x,x}', 7, '1 hour', '0')",
			[][]byte{wrong[:], wrong[:]}); err != nil {
			t.Fatal(err)
		}
	}
	var kept, last int
	require.NoError(t, conn.QueryRow(t.Context(), "SELECT count(*), max(seq) FROM request_log WHERE status = 401").Scan(&kept, &last))
	if kept != 7 || last != 60 {
		t.Errorf("after a flood, %d rows up to %d are kept, want 7 up to 60", kept, last)
	}
}

// A clock that was ahead and was set back leaves rows dated in the future. How long a
// key must wait then counts from the present: exactly as long as it takes.
func TestAdmit_WaitsFromThePresentAfterALeapBack(t *testing.T) {
	t.Parallel()
	conn := dbtest.Connect(t, dbtest.New(t).OwnerURL)
	client := insertClient(t, conn)
	insertKey(t, conn, &model{prefix: "ahead", client: &client})
	admit := func(shift time.Duration) (verdict string, at, reset time.Time) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), "SELECT a.verdict, a.at, a.reset_at FROM admit(ARRAY['ahead'], ARRAY[$1::bytea], ARRAY['x'], 2, $2, $3) AS a",
			secret[:], interval(window), interval(shift)).Scan(&verdict, &at, &reset); err != nil {
			t.Fatal(err)
		}
		return verdict, at, reset
	}
	const leap = 3 * time.Hour
	admit(leap)
	admit(leap)
	verdict, at, reset := admit(0)
	wait := reset.Sub(at)
	if verdict != "limited" || wait < leap || wait > leap+window {
		t.Fatalf("%s, wait %s, want some %s", verdict, wait, leap+window)
	}
	if verdict, _, _ := admit(wait); verdict != "admitted" {
		t.Errorf("after waiting as long: %s", verdict)
	}
}

func insertClient(t *testing.T, conn *pgx.Conn) uuid.UUID {
	t.Helper()
	client := uuid.New()
	dbtest.Exec(t, conn, "INSERT INTO clients (id, slug, name) VALUES ($1, $2, 'Acme')", client, client.String())
	return client
}

func insertKey(t *testing.T, conn *pgx.Conn, key *model) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), `INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes, revoked_at, expires_at)
		VALUES ($1, $2, $3, 'k', $4, '{}', nullif($5, '0001-01-01 00:00:00+00'::timestamptz), nullif($6, '0001-01-01 00:00:00+00'::timestamptz))`,
		key.prefix, uuid.New(), key.client, secret[:], key.revokedAt, key.expiresAt); err != nil {
		t.Fatal(err)
	}
}

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

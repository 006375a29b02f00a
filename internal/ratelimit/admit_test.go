package ratelimit_test

import (
	"context"
	"crypto/sha256"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/clientintel/clientintel/internal/dbtest"
	"github.com/clientintel/clientintel/internal/postgres"
)

// model is the rolling window as one would write it down: the times of all
// counted requests.
type model struct {
	max     int
	window  time.Duration
	counted []time.Time
}

// admit says what must come of a request at a moment: whether it is let in,
// what remained, and when capacity next frees.
func (m *model) admit(at time.Time, rightSecret bool) (verdict string, remaining int, reset time.Time) {
	var inside []time.Time
	for _, c := range m.counted {
		if c.After(at.Add(-m.window)) {
			inside = append(inside, c)
		}
	}
	reset = at.Add(m.window)
	if len(inside) > 0 {
		reset = inside[0].Add(m.window)
	}
	remaining = max(m.max-len(inside), 0)
	switch {
	case !rightSecret:
		m.counted = append(m.counted, at)
		return "invalid", remaining, reset
	case len(inside) >= m.max:
		return "limited", 0, inside[len(inside)-m.max].Add(m.window)
	default:
		m.counted = append(m.counted, at)
		return "admitted", remaining, reset
	}
}

// The database's window equals the model's over random requests, groups, wrong
// secrets and leaps of the clock.
func TestAdmit_EqualsTheModel(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	postgres.RegisterTypes(conn)
	secret := sha256.Sum256([]byte("secret"))
	wrong := sha256.Sum256([]byte("another"))
	client, key := uuid.New(), uuid.New()
	for _, statement := range []string{
		`INSERT INTO clients (id, slug, name) VALUES ($1, 'acme', 'Acme')`,
		`INSERT INTO api_keys (prefix, id, client_id, name, secret_hash, scopes) SELECT 'abcdefghijkl', $2, $1, 'k', $3, '{}'`,
	} {
		args := []any{client, key, secret[:]}
		if statement[12:19] == "clients" {
			args = args[:1]
		}
		if _, err := conn.Exec(ctx, statement, args...); err != nil {
			t.Fatal(err)
		}
	}

	const most = 7
	window := time.Minute
	m := &model{max: most, window: window}
	random := rand.New(rand.NewPCG(7, 8))
	var shift time.Duration
	for step := range 1500 {
		switch random.IntN(4) {
		case 0:
			shift += time.Duration(random.Int64N(int64(window / 5)))
		case 1:
			if random.IntN(10) == 0 {
				shift += window + time.Second
			}
		}
		group := 1 + random.IntN(4)
		prefixes, hashes, routes := make([]string, group), make([][]byte, group), make([]string, group)
		right := make([]bool, group)
		for i := range group {
			prefixes[i], routes[i], right[i] = "abcdefghijkl", "listInterviews", random.IntN(4) > 0
			hashes[i] = wrong[:]
			if right[i] {
				hashes[i] = secret[:]
			}
		}
		rows, err := conn.Query(ctx, `SELECT a.ord, a.verdict, a.at, a.remaining, a.reset_at
			FROM admit($1, $2, $3, $4, $5, $6, '{}', '{}', '{}', '{}', '{}') AS a ORDER BY a.ord`,
			prefixes, hashes, routes, most, interval(window), interval(shift))
		if err != nil {
			t.Fatal(err)
		}
		var ord, remaining int
		var verdict string
		var at, reset time.Time
		if _, err := pgx.ForEachRow(rows, []any{&ord, &verdict, &at, &remaining, &reset}, func() error {
			wantVerdict, wantRemaining, wantReset := m.admit(at, right[ord-1])
			if verdict != wantVerdict || remaining != wantRemaining || (verdict != "invalid" && !reset.Equal(wantReset)) {
				t.Fatalf("step %d: %s remaining %d reset %s, want %s remaining %d reset %s",
					step, verdict, remaining, reset, wantVerdict, wantRemaining, wantReset)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	// A flood of wrong secrets leaves no more rows than can matter.
	var kept, inWindow int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM request_log WHERE key_id = $1 AND status = 401 AND at > (SELECT last_at FROM api_keys WHERE id = $1) - $2::interval",
		key, interval(window)).Scan(&kept); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := conn.Exec(ctx, "SELECT FROM admit('{abcdefghijkl}', $1, '{x}', $2, $3, $4, '{}', '{}', '{}', '{}', '{}')",
			[][]byte{wrong[:]}, most, interval(window), interval(shift)); err != nil {
			t.Fatal(err)
		}
	}
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM request_log WHERE key_id = $1 AND status = 401 AND at > (SELECT last_at FROM api_keys WHERE id = $1) - $2::interval",
		key, interval(window)).Scan(&inWindow); err != nil {
		t.Fatal(err)
	}
	if inWindow != most {
		t.Errorf("after a flood, %d rows of failed authentication are kept (%d before), want %d", inWindow, kept, most)
	}
}

// Unknown prefixes are counted nowhere a key can see, and keep no more than a key's.
func TestAdmit_UnknownPrefixesShareADecoy(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for range 30 {
		var verdict string
		var clientID *uuid.UUID
		if err := conn.QueryRow(ctx, `SELECT a.verdict, a.client_id FROM admit('{zzzzzzzzzzzz}', $1, '{x}', 5, '1 hour', '0', '{}', '{}', '{}', '{}', '{}') AS a`,
			[][]byte{make([]byte, 32)}).Scan(&verdict, &clientID); err != nil {
			t.Fatal(err)
		}
		if verdict != "invalid" || clientID != nil {
			t.Fatalf("an unknown prefix is %s of client %v", verdict, clientID)
		}
	}
	var rows int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM request_log").Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if rows != 5 {
		t.Errorf("%d rows are kept, want 5", rows)
	}
}

func interval(d time.Duration) pgtype.Interval {
	return pgtype.Interval{Microseconds: d.Microseconds(), Valid: true}
}

package doctor

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clientintel/clientintel/internal/postgres"
)

func (c *checker) version(ctx context.Context) Finding {
	var number int
	var text string
	c.queryRow(ctx, "SELECT current_setting('server_version_num')::integer, current_setting('server_version')", nil, &number, &text)
	if number < postgres.MinServerVersion {
		return wrong("Move to PostgreSQL 15 or later.", "PostgreSQL %s is too old", text)
	}
	return ok("PostgreSQL %s", text)
}

func (c *checker) encoding(ctx context.Context) Finding {
	var encoding string
	c.queryRow(ctx, "SELECT current_setting('server_encoding')", nil, &encoding)
	if encoding != "UTF8" {
		return wrong("Make a database with ENCODING 'UTF8' TEMPLATE template0 and import into it.", "the encoding is %s: what customers say cannot all be kept", encoding)
	}
	return ok("UTF8")
}

func (c *checker) extensions(ctx context.Context) Finding {
	var installed, available bool
	c.queryRow(ctx, `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm'),
		EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')`, nil, &installed, &available)
	switch {
	case installed:
		return ok("pg_trgm is installed")
	case available:
		return warning("Run clientintel migrate.", "pg_trgm is not installed yet; the migrations install it")
	}
	return wrong("Install PostgreSQL's contrib package on the server.", "pg_trgm is not available, and searches need it")
}

// primary checks that the database accepts writes, which commands make. That
// transactions are read-only by default does not matter: the program's sessions set that
// themselves, and the check of the server's login reports a pooler, where they cannot.
func (c *checker) primary(ctx context.Context) Finding {
	var recovering bool
	c.queryRow(ctx, "SELECT pg_is_in_recovery()", nil, &recovering)
	if recovering {
		return wrong("Name the primary in DATABASE_URL and DATABASE_OWNER_URL.", "this is a standby: requests cannot be counted here")
	}
	return ok("it may be written to")
}

// standby checks the standby that servers read from.
func (c *checker) standby(ctx context.Context) Finding {
	const advice = "Is CLIENTINTEL_REPLICA_URL right, and does replication run? Until then servers read from the primary, unless CLIENTINTEL_REPLICA_FALLBACK is off."
	conn, err := connect(ctx, c.database.ReplicaURL)
	if err != nil {
		return warning(advice, "the standby does not answer: %s", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// If nothing is written, the last commit is old although the standby is not behind.
	var written string
	c.queryRow(ctx, "SELECT pg_current_wal_insert_lsn()::text", nil, &written)
	var recovering bool
	var behind *time.Duration
	if err := conn.QueryRow(ctx, `SELECT pg_is_in_recovery(), CASE WHEN pg_last_wal_replay_lsn() >= $1::text::pg_lsn THEN interval '0'
		ELSE clock_timestamp() - pg_last_xact_replay_timestamp() END`, written).Scan(&recovering, &behind); err != nil && c.err == nil {
		return c.fail(err)
	}
	switch {
	case !recovering:
		return warning(advice, "the standby is a primary: was it promoted?")
	case behind == nil:
		return warning(advice, "the standby has replayed nothing yet")
	case *behind > c.database.MaxLag:
		return warning(advice, "the standby's last commit is %s old, and %s are allowed", behind.Round(time.Second), c.database.MaxLag)
	}
	return ok("the standby is within %s of the primary", behind.Round(time.Millisecond))
}

// clock compares the database's clock with this machine's, less half a round
// trip. Windows and expiries go by the database's.
func (c *checker) clock(ctx context.Context) Finding {
	var best, apart time.Duration = checkTimeout, 0
	for range 3 {
		began := time.Now()
		var there time.Time
		c.queryRow(ctx, "SELECT clock_timestamp()", nil, &there)
		if took := time.Since(began); took < best {
			best, apart = took, there.Sub(began.Add(took/2)).Abs()
		}
	}
	const advice = "Keep both clocks with NTP. The database's decides when keys expire and quotas free."
	switch {
	case apart > time.Minute:
		return wrong(advice, "the database's clock and this machine's are %s apart", apart.Round(time.Second))
	case apart > 2*time.Second:
		return warning(advice, "the database's clock and this machine's are %s apart", apart.Round(100*time.Millisecond))
	}
	return ok("within %s of this machine's", max(apart, best).Round(time.Millisecond))
}

func (c *checker) durability(ctx context.Context) Finding {
	off := c.queryNames(ctx, `SELECT s.name FROM pg_settings AS s
		WHERE s.name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND s.setting = 'off' ORDER BY 1`)
	if len(off) > 0 {
		verb := "are"
		if len(off) == 1 {
			verb = "is"
		}
		return wrong("Switch it on in postgresql.conf (or ALTER DATABASE/ROLE … RESET) and reload.",
			"%s %s off: a crash can lose imports, and give keys requests back", shorten(off), verb)
	}
	return ok("fsync, full_page_writes and synchronous_commit are on")
}

// headroom is what commands, backups and people need beside one server.
const headroom = 10

func (c *checker) connections(ctx context.Context) Finding {
	var most, reserved, used int
	// Of another role's session only who it is and where is shown, unless the login is in pg_read_all_stats.
	c.queryRow(ctx, `SELECT current_setting('max_connections')::integer, current_setting('superuser_reserved_connections')::integer,
		(SELECT count(*) FROM pg_stat_activity AS a
			WHERE a.backend_type = 'client backend' OR a.backend_type IS NULL AND a.datid IS NOT NULL AND a.usesysid IS NOT NULL)`,
		nil, &most, &reserved, &used)
	if free := most - reserved - used; free < headroom {
		return warning("Raise max_connections, or lower CLIENTINTEL_POOL_SIZE.", "%d of %d connections are in use, %d are free", used, most, free)
	}
	return ok("%d of %d connections are in use", used, most)
}

func (c *checker) autovacuum(ctx context.Context) Finding {
	var on bool
	c.queryRow(ctx, "SELECT current_setting('autovacuum')::boolean AND current_setting('track_counts')::boolean", nil, &on)
	if !on {
		return warning("Switch autovacuum and track_counts on.", "autovacuum is off: the log of requests and the indexes grow without bound")
	}
	return ok("autovacuum is on")
}

// disk can read the free space only if the data is on this machine.
func (c *checker) disk(ctx context.Context) Finding {
	var size int64
	c.queryRow(ctx, "SELECT pg_database_size(current_database())", nil, &size)
	if c.database.Dir == "" {
		return Finding{State: Unknown, Message: fmt.Sprintf("the database takes %s; how much is left is not to be seen from here", bytesText(size))}
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(c.database.Dir, &disk); err != nil {
		return c.fail(err)
	}
	// What an ordinary account may still write.
	free := int64(disk.Bavail) * int64(disk.Bsize) //nolint:unconvert // the types differ between systems
	const advice = "Make room: an import needs about as much again as it brings."
	switch {
	case free < 256<<20:
		return wrong(advice, "the database takes %s, and %s are left", bytesText(size), bytesText(free))
	case free < 2<<30 || free < size/4:
		return warning(advice, "the database takes %s, and %s are left", bytesText(size), bytesText(free))
	}
	return ok("the database takes %s, and %s are left", bytesText(size), bytesText(free))
}

func bytesText(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

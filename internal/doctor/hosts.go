package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/clientintel/clientintel/internal/postgres"
)

// host is one of the servers that a URL lists.
type host struct {
	name       string
	system     string
	timeline   int
	recovering bool
}

// hosts compares the servers that the URLs list for a failover: of one database, one alone
// may be written to.
func (c *checker) hosts(ctx context.Context, listed []*pgx.ConnConfig) Finding {
	var primaries, standbys, away []string
	system := ""
	for _, config := range listed {
		h, err := readHost(ctx, config)
		switch {
		case err != nil:
			away = append(away, h.name+": "+err.Error())
			continue
		case h.recovering:
			standbys = append(standbys, h.name)
		default:
			primaries = append(primaries, fmt.Sprintf("%s (timeline %d)", h.name, h.timeline))
		}
		if system != "" && h.system != system {
			return wrong("Name the hosts of one database, a primary and its standbys.", "%s is no copy of the other hosts' database", h.name)
		}
		system = h.system
	}
	switch {
	case len(primaries) > 1:
		return wrong("Stop the one of the lower timeline at once, and make it a standby anew (pg_rewind, pg_basebackup). Revoke again what was revoked, and import again.",
			"more than one host can be written to, and a revoked key may work on one: %s", strings.Join(primaries, ", "))
	case len(away) > 0:
		return warning("If it was the primary, fence it before it comes back: keys revoked since would work there.", "does not answer: %s", strings.Join(away, "; "))
	}
	return ok("one of %d hosts can be written to: %s", len(listed), strings.Join(append(primaries, standbys...), ", "))
}

func readHost(ctx context.Context, config *pgx.ConnConfig) (host, error) {
	h := host{name: net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		if refused, is := errors.AsType[*pgconn.PgError](err); is {
			return h, errors.New(refused.Message)
		}
		return h, errors.New("no connection")
	}
	defer conn.Close(context.WithoutCancel(ctx))
	// A primary writes its timeline to its control file at the next checkpoint only.
	err = conn.QueryRow(ctx, `SELECT s.system_identifier::text, pg_is_in_recovery(), CASE WHEN pg_is_in_recovery() THEN k.timeline_id
			ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer END
		FROM pg_control_system() AS s, pg_control_checkpoint() AS k`, exec).Scan(&h.system, &h.recovering, &h.timeline)
	return h, err
}

// listedHosts are the servers that URLs list, each once, whatever is demanded of the one
// that a session gets.
func listedHosts(urls ...string) []*pgx.ConnConfig {
	var found []*pgx.ConnConfig
	seen := map[string]bool{}
	for _, url := range urls {
		base, err := postgres.ParseURL(url)
		if err != nil {
			continue // reported by the connection
		}
		all := append([]*pgconn.FallbackConfig{{Host: base.Host, Port: base.Port, TLSConfig: base.TLSConfig}}, base.Fallbacks...)
		for i, f := range all {
			name := fmt.Sprint(f.Host, f.Port)
			if seen[name] {
				continue
			}
			seen[name] = true
			one := base.Copy()
			one.Host, one.Port, one.TLSConfig, one.ValidateConnect = f.Host, f.Port, f.TLSConfig, nil
			one.Fallbacks = slices.DeleteFunc(slices.Clone(all[i+1:]), func(o *pgconn.FallbackConfig) bool { // with TLS, and without, as sslmode says
				return o.Host != f.Host || o.Port != f.Port
			})
			found = append(found, one)
		}
	}
	return found
}

package app

import (
	"net"
	"os"
	"runtime"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ShareProcessors leaves half of the processors to a database on the same machine, which
// does most of the work: if both used all, requests would pay for moving between
// processors. GOMAXPROCS disables it. The result restores all processors.
func ShareProcessors(databaseURL string) (restore func()) {
	all := runtime.GOMAXPROCS(0)
	if os.Getenv("GOMAXPROCS") == "" && onThisMachine(databaseURL) {
		runtime.GOMAXPROCS(max(1, all/2))
	}
	return func() { runtime.GOMAXPROCS(all) }
}

// onThisMachine reports whether a database is reached without leaving the machine.
func onThisMachine(databaseURL string) bool {
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		return false
	}
	ip := net.ParseIP(config.Host)
	return strings.HasPrefix(config.Host, "/") || config.Host == "localhost" || ip != nil && ip.IsLoopback()
}

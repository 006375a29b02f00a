package app

import (
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ShareProcessors leaves half of the processors to a database on the same
// machine, which does most of the work: if both used all, requests would pay for
// moving between processors. GOMAXPROCS disables it. undo restores the number.
func ShareProcessors(databaseURL string) (undo func()) {
	if os.Getenv("GOMAXPROCS") != "" || !onThisMachine(databaseURL) {
		return func() {}
	}
	all := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(1, all/2))
	return func() { runtime.GOMAXPROCS(all) }
}

// memoryLimit is where the garbage of large answers is collected before it takes more:
// they and what else the server holds stay below.
const memoryLimit = 192 << 20

// LimitMemory collects garbage more often when the memory nears memoryLimit.
// GOMEMLIMIT disables it. undo restores the limit.
func LimitMemory() (undo func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	before := debug.SetMemoryLimit(memoryLimit)
	return func() { debug.SetMemoryLimit(before) }
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

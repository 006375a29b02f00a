package app

import (
	"context"
	"net"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Processors are those of the machine, of which the server uses a share.
type Processors struct{ all, share int }

// ShareProcessors leaves half of the processors to a database on the same
// machine, which does most of the work: if both used all, requests would pay for
// moving between processors. GOMAXPROCS disables it.
func ShareProcessors(databaseURL string) Processors {
	all := runtime.GOMAXPROCS(0)
	p := Processors{all, all}
	if os.Getenv("GOMAXPROCS") == "" && onThisMachine(databaseURL) {
		p.share = max(1, all/2)
		runtime.GOMAXPROCS(p.share)
	}
	return p
}

// Restore uses all again.
func (p Processors) Restore() { runtime.GOMAXPROCS(p.all) }

const (
	// lookEvery is how often UseAllWhile looks, useAllFor how many looks longer it uses
	// all processors.
	lookEvery = 100 * time.Millisecond
	useAllFor = 10
)

// UseAllWhile uses all processors while the server has work that keeps its share of them
// busy and that the database has no part in. Short work would otherwise wait 10 ms each
// time it wants a processor, and for each message from the network.
func (p Processors) UseAllWhile(ctx context.Context, busy func() bool) {
	if p.share == p.all {
		return
	}
	calm := useAllFor
	each(ctx, lookEvery, func() {
		calm++
		if busy() {
			calm = 0
		}
		if calm < useAllFor {
			runtime.GOMAXPROCS(p.all)
		} else {
			runtime.GOMAXPROCS(p.share)
		}
	})
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

//go:build linux

package main

import (
	"context"
	"strings"
	"syscall"
	"time"

	"github.com/clientintel/clientintel/internal/test/corpus"
)

// write replaces one client's records after another by others: interviews are added,
// changed and removed, and campaigns go live and end. Now and then an import is killed.
func (e *environment) write(ctx context.Context) {
	random := e.random(1)
	for ctx.Err() == nil {
		c := e.clients[random.IntN(len(e.clients))]
		from := e.began.AddDate(-1, 0, -random.IntN(100))
		var file strings.Builder
		_, err := corpus.Generate(&file, corpus.Options{
			Seed: corpusSeed, From: from, To: from.AddDate(1, 0, 0), Clients: []corpus.ClientOptions{{
				Slug: c.slug, Mode: c.mode, Interviews: 1000 + random.IntN(1000), Campaigns: 3 + random.IntN(6),
				EqualCreatedAt: random.IntN(500), UsableShare: 0.3 + 0.6*random.Float64(),
			}},
		})
		if err != nil {
			e.violation("generating records: %v", err)
			return
		}
		e.comparing.RLock()
		command, err := e.base.Start(e.pg.OwnerURL(), "import", "-", "--replace-client", c.slug, "--max-removed", "90%")
		if err == nil {
			_, _ = command.Stdin.Write([]byte(file.String()))
			_ = command.Stdin.Close()
			if random.IntN(5) == 0 {
				time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
				command.Signal(syscall.SIGKILL)
			}
			_, _, err = command.Output(time.Minute)
		}
		if err == nil { // it fails while the database is down; the next one follows soon
			e.writes.Add(1)
		}
		e.comparing.RUnlock()
		rest(ctx, time.Duration(200+random.IntN(800))*time.Millisecond)
	}
}

//go:build linux

package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
)

// write imports small files on and on: new interviews, old ones replaced and
// deleted, campaigns going live and ending. Now and then an import is killed.
func (e *environment) write(ctx context.Context) {
	random := e.random(1)
	for ctx.Err() == nil {
		file := e.changes(random)
		e.comparing.RLock()
		if random.IntN(5) == 0 {
			e.killImport(file, time.Duration(random.IntN(300))*time.Millisecond)
		} else {
			// It fails while the database is down; the next one follows soon.
			_ = e.base.Import(e.pg, file)
		}
		e.writes.Add(1)
		e.comparing.RUnlock()
		rest(ctx, time.Duration(200+random.IntN(800))*time.Millisecond)
	}
}

func (e *environment) killImport(file string, after time.Duration) {
	c, err := e.base.Start(e.pg.OwnerURL(), "import", "-")
	if err != nil {
		return
	}
	_, _ = c.Stdin.Write([]byte(file))
	_ = c.Stdin.Close()
	time.Sleep(after)
	c.Signal(syscall.SIGKILL)
	<-c.Done
}

// changes is an import file.
func (e *environment) changes(random *rand.Rand) string {
	var file strings.Builder
	c := e.clients[random.IntN(len(e.clients))]
	campaign := idOf(c.slug, "campaign", random.IntN(3))
	// Named anew each time, so that there is something to write.
	fmt.Fprintf(&file, `{"kind":"campaign","id":%q,"client_id":%q,"slug":"soak-%s","display_name":"Soak %d","launch_status":%q,"active":true}`+"\n",
		campaign, c.id, campaign, random.IntN(100), []string{"live", "live", "ended"}[random.IntN(3)])
	for range 1 + random.IntN(200) {
		id := idOf(c.slug, "interview", random.IntN(800))
		if random.IntN(4) == 0 {
			fmt.Fprintf(&file, `{"op":"delete","kind":"interview","client_id":%q,"id":%q}`+"\n", c.id, id)
			continue
		}
		goal := "null"
		if random.IntN(2) == 0 {
			goal = fmt.Sprintf("%q", campaign)
		}
		at := time.Now().Add(-time.Duration(random.IntN(100*24)) * time.Hour).Truncate(time.Hour).UTC().Format(time.RFC3339)
		fmt.Fprintf(&file, `{"kind":"interview","id":%q,"client_id":%q,"conversation_goal_id":%s,"status":%q,"quality":%q,`+
			`"reportable":%v,"client_safe":true,"is_test":%v,"nps_score":%d,"created_at":%q,`+
			`"custom_extraction":{"best_quote":"Said %d times, support was quick"}}`+"\n",
			id, c.id, goal, []string{"completed", "analyzed", "started"}[random.IntN(3)], []string{"passed", "passed", "failed"}[random.IntN(3)],
			random.IntN(5) > 0, random.IntN(10) == 0, random.IntN(11), at, random.IntN(1000))
	}
	return file.String()
}

// idOf is the same id each time.
func idOf(slug, kind string, n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %d", slug, kind, n))
	id, _ := uuid.FromBytes(sum[:16])
	return id.String()
}

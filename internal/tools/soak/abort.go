//go:build linux

package main

import (
	"context"
	"regexp"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
)

// scopeSets are the scopes of the keys that abort uses, each with a field that needs it.
var scopeSets = [][]auth.Scope{
	{auth.ReadInterviewsMetadata},
	{auth.ReadInterviewsMetadata, auth.ReadTranscripts},
	{auth.ReadInterviewsMetadata, auth.ReadCustomerIdentity},
	{auth.ReadInterviewsMetadata, auth.ReadCustomExtraction},
}

var gatedFields = map[auth.Scope]*regexp.Regexp{
	auth.ReadTranscripts:      regexp.MustCompile(`"transcript":`),
	auth.ReadCustomerIdentity: regexp.MustCompile(`"participant_email":`),
	auth.ReadCustomExtraction: regexp.MustCompile(`"custom_extraction":`),
}

var owners = regexp.MustCompile(`"client_id":"([^"]*)"`)

// abort sends requests of every client with every set of scopes, and cancels most of
// them before the response. A body that does come must be the client's own, with the
// fields of its scopes: otherwise a connection, a buffer or a batch of an aborted request
// was used again with what it held.
func (e *environment) abort(ctx context.Context) {
	var all sync.WaitGroup
	for i, c := range e.clients {
		for j, scopes := range scopeSets {
			random := e.random(uint64(1000 + 10*i + j))
			all.Go(func() {
				key, sent := "", 600
				for ctx.Err() == nil {
					if sent == 600 {
						keys, err := e.pg.IssueKeys(ctx, c.slug, 1, scopes...)
						if err != nil { // the database is away
							rest(ctx, 100*time.Millisecond)
							continue
						}
						key, sent = keys[0], 0
					}
					sent++
					e.aborted.Add(1)
					leaving, leave := context.WithTimeout(ctx, time.Duration(random.IntN(8000))*time.Microsecond)
					paths := []string{"/interviews?limit=20", "/interviews?limit=200", "/analytics/interviews?date_from=2000-01-01"}
					a := e.caller.Get(leaving, e.server(random.IntN(len(e.servers))).URL, paths[random.IntN(len(paths))], key)
					leave()
					if a.Status == 200 {
						e.checkOwner(c, scopes, a.Body)
					}
					rest(ctx, 20*time.Millisecond)
				}
			})
		}
	}
	all.Wait()
}

// checkOwner checks that a body names the client alone, and has no field beyond the scopes.
func (e *environment) checkOwner(c client, scopes []auth.Scope, body []byte) {
	e.owned.Add(1)
	for _, found := range owners.FindAllSubmatch(body, -1) {
		if string(found[1]) != c.id {
			e.violation("%s got an answer of the client %s", c.slug, found[1])
			return
		}
	}
	caller := auth.Caller{Scopes: scopes}
	for scope, field := range gatedFields {
		if !caller.Has(scope) && field.Match(body) {
			e.violation("%s with the scopes %v got a field of %s", c.slug, scopes, scope)
		}
	}
}

//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// flood is one way to overload a server.
type flood struct {
	name string
	// clients have keysPerClient keys each, which it uses in turn; without clients it has
	// no valid key.
	clients []string
	// connections are open at once, and use says what each does until it is closed.
	connections int
	use         func(ctx context.Context, c *connection) error
	// isRare observes one key, which asks every 15 seconds: a client that what is fair
	// among those that ask all the time may have forgotten.
	isRare bool
}

const keysPerClient = 16

const (
	interviews = cluster.Prefix + "/interviews"
	documents  = cluster.Prefix + "/openapi.json"
	agents     = cluster.Prefix + "/mcp"
	charts     = cluster.Prefix + "/analytics/interviews?date_from=2000-01-01"
	rareWords  = cluster.Prefix + "/intelligence/search?q=zanzibar+of+five+rare+words"
	tool       = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_interview_analytics","arguments":{"include_rows":true}}}`
)

// searching are the clients whose interviews hold a million times one letter.
var searching = []string{"hooli", "piedpiper"}

func floods() []flood {
	long, large, hostile := []string{"globex"}, []string{"initech"}, searching
	return []flood{
		{name: "unknown prefixes", connections: 5000, use: requests(func(*connection) string { return get(interviews, unknownKey()) })},
		{name: "no key", connections: 5000, use: requests(func(c *connection) string { return get([]string{documents, interviews}[c.number%2], "") })},
		{name: "new connections", connections: 1000, use: requests(func(*connection) string { return get(interviews, unknownKey(), "Connection: close") })},
		{name: "slow headers", connections: 1000, use: slow(func(*connection) string { return "GET " + interviews + " HTTP/1.1\r\nHost: x\r\n" }, "X-A: b\r\n", 50*time.Millisecond)},
		{name: "slow bodies", connections: 1000, use: slow(func(*connection) string { return post(unknownKey(), 1<<20) }, " ", 500*time.Millisecond)},
		{name: "large heads", connections: 2000, use: requests(func(c *connection) string { return get(interviews, unknownKey(), manyHeaders[c.number%2]) })},
		{name: "idle connections", connections: 5000, use: wait},
		{name: "unread documents", connections: 1000, use: unread(func(*connection) string { return strings.Repeat(get(documents, ""), 16) })},

		{name: "one key", clients: long, connections: 5000, use: requests(func(c *connection) string { return get(interviews, c.Keys[0]) })},
		{name: "key storm", clients: long, connections: 256, use: requests(func(c *connection) string { return get(interviews+"?limit=1", c.Keys[0]) })},
		{name: "heavy reads", clients: long, connections: 64, use: requests(func(c *connection) string { return get(charts, c.key()) })},
		{name: "large bases", clients: large, connections: 64, use: requests(func(c *connection) string { return get(interviews+"?limit=1", c.key()) })},
		{name: "rare searches", clients: long, connections: 64, use: requests(func(c *connection) string { return get(rareWords, c.key()) })},
		{name: "hostile searches", clients: hostile, connections: 32, use: requests(hostileSearch)},
		{name: "hostile searches, rare caller", clients: hostile, connections: 32, use: requests(hostileSearch), isRare: true},
		{name: "unread transcripts", clients: large, connections: 160, use: unread(func(c *connection) string { return get(interviews+"?limit=200", c.key()) })},
		{name: "unread lists", clients: long, connections: 1000, use: unread(func(c *connection) string { return get(interviews+"?limit=100", c.key()) })},
		{name: "unread charts", clients: long, connections: 64, use: unread(func(c *connection) string { return get(charts, c.key()) })},
		{name: "agents", clients: long, connections: 64, use: requests(func(c *connection) string { return post(c.key(), len(tool)) + tool })},
		{name: "slow messages", clients: long, connections: 500, use: slow(func(c *connection) string { return post(c.key(), 1<<20) + strings.Repeat(" ", 1<<20-1000) }, " ", 500*time.Millisecond)},
		{name: "imports", clients: []string{"umbrella"}, connections: 1, use: importAgain},
	}
}

// unknownKey is well-formed but for its checksum, and was never issued.
func unknownKey() string { return "cik_" + rand.Text()[:12] + "_" + strings.Repeat("x", 49) }

// manyHeaders are nearly as many bytes of headers as a server accepts: in a few of them, and
// in as many as there is space for.
var manyHeaders = func() (kinds [2]string) {
	for kind, value := range []string{strings.Repeat("x", 150), ""} {
		for i := 0; len(kinds[kind]) < 7<<10; i++ {
			kinds[kind] += "x" + strconv.Itoa(i) + ":" + value + "\r\n"
		}
		kinds[kind] = strings.TrimSuffix(kinds[kind], "\r\n")
	}
	return kinds
}()

// hostileSearch asks for a letter that no interview has, or for a text that differs from
// all of them in its last letter.
func hostileSearch(c *connection) string {
	text := "b"
	if c.number/2%2 == 0 {
		text = strings.Repeat("a", 499) + "b"
	}
	return get(cluster.Prefix+"/intelligence/search?q="+text, c.key())
}

func get(target, key string, headers ...string) string {
	if key != "" {
		headers = append(headers, "Authorization: Bearer "+key)
	}
	return "GET " + target + " HTTP/1.1\r\n" + strings.Join(append(headers, "Host: x"), "\r\n") + "\r\n\r\n"
}

// post is the head of an agent's message.
func post(key string, length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n", agents, key, length)
}

// requests sends one request after the other, each as soon as the last is answered.
func requests(text func(*connection) string) func(context.Context, *connection) error {
	return func(ctx context.Context, c *connection) error {
		answers := bufio.NewReader(c)
		for {
			if _, err := io.WriteString(c, text(c)); err != nil {
				return err
			}
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
			if err != nil {
				return err
			}
			c.own.add(answer.StatusCode, answer.Header)
			if answer.StatusCode == http.StatusServiceUnavailable && c.clients != nil {
				pause(ctx, 100*time.Millisecond) // so that its quota lasts
			}
			if answer.Close {
				return nil
			}
		}
	}
}

// slow sends a beginning at once, and the rest piece by piece.
func slow(beginning func(*connection) string, piece string, interval time.Duration) func(context.Context, *connection) error {
	return func(ctx context.Context, c *connection) error {
		if _, err := io.WriteString(c, beginning(c)); err != nil {
			return err
		}
		for ctx.Err() == nil {
			if _, err := io.WriteString(c, piece); err != nil {
				return err
			}
			pause(ctx, interval)
		}
		return nil
	}
}

// wait sends nothing until the other side closes the connection.
func wait(_ context.Context, c *connection) error {
	_, err := c.Read(make([]byte, 1))
	return err
}

// unread sends requests, and reads nothing for ten seconds.
func unread(text func(*connection) string) func(context.Context, *connection) error {
	return func(ctx context.Context, c *connection) error {
		if err := c.narrow(); err != nil {
			return err
		}
		if _, err := io.WriteString(c, text(c)); err != nil {
			return err
		}
		pause(ctx, 10*time.Second)
		return nil
	}
}

// importAgain replaces a client's history.
func importAgain(_ context.Context, c *connection) error {
	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 2, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{{Slug: c.clients[0], Mode: corpus.ModeCanonical, Interviews: 5_000, Campaigns: 3}},
	}); err != nil {
		return err
	}
	base := &cluster.Base{Program: c.Program}
	_, err := base.Run(c.DatabaseURL, file.String(), "import", "-")
	if err == nil {
		c.own.add(http.StatusOK, nil)
	}
	return err
}

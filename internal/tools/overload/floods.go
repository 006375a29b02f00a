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
)

// flood is one way to overload a server.
type flood struct {
	name string
	// clients are those whose keys it uses in turn, 16 of each; without clients it has no
	// valid key.
	clients []string
	// connections are open at once, and use says what each does until it is closed. Without
	// use, the first client's history is imported again and again.
	connections int
	use         func(ctx context.Context, c *connection) error
	// isRare has the observed client ask each 15 seconds only.
	isRare bool
}

const (
	interviews = cluster.Prefix + "/interviews"
	charts     = cluster.Prefix + "/analytics/interviews?date_from=2000-01-01"
	documents  = cluster.Prefix + "/openapi.json"
	search     = cluster.Prefix + "/intelligence/search?q="
	message    = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_interview_analytics","arguments":{"include_rows":true}}}`
	largest    = 1 << 20 // of messages
)

// searching are the clients that have interviews with a million times one letter.
var searching = []string{"hooli", "piedpiper"}

func floods() []flood {
	long, large := []string{"globex"}, []string{"initech"}
	return []flood{
		{name: "unknown prefixes", connections: 5000, use: requests(unknownKey(interviews))},
		{name: "no key", connections: 5000, use: requests(noKey)},
		{name: "new connections", connections: 1000, use: requests(unknownKey(interviews, "Connection: close"))},
		{name: "large heads", connections: 2000, use: requests(unknownKey(interviews, strings.Repeat("X-A: b\r\n", 90)+"X-B: "+strings.Repeat("b", 7000)))},
		{name: "slow headers", connections: 1000, use: slow(func(*connection) string { return "GET " + interviews + " HTTP/1.1\r\nHost: x\r\n" }, "X-A: b\r\n", 50*time.Millisecond)},
		{name: "slow bodies", connections: 1000, use: slow(func(*connection) string { return post(newKey(), largest) }, " ", 500*time.Millisecond)},
		{name: "idle connections", connections: 5000, use: idle},
		{name: "unread documents", connections: 1000, use: unread(func(c *connection) string { return strings.Repeat(get(documents, ""), 16) })},

		{name: "one key", clients: long, connections: 5000, use: requests(func(c *connection) string { return get(interviews, c.keys[0]) })},
		{name: "key storm", clients: long, connections: 256, use: requests(func(c *connection) string { return get(interviews+"?limit=1", c.keys[0]) })},
		{name: "heavy reads", clients: long, connections: 64, use: requests(validKey(charts))},
		{name: "large bases", clients: large, connections: 64, use: requests(validKey(interviews + "?limit=1"))},
		{name: "rare words", clients: long, connections: 64, use: requests(validKey(search + "zanzibar+of+five+rare+words"))},
		{name: "hostile searches", clients: searching, connections: 32, use: requests(hostileSearch)},
		{name: "hostile searches, rare caller", clients: searching, connections: 32, use: requests(hostileSearch), isRare: true},
		{name: "unread transcripts", clients: large, connections: 160, use: unread(validKey(interviews + "?limit=200"))},
		{name: "unread lists", clients: long, connections: 1000, use: unread(validKey(interviews + "?limit=100"))},
		{name: "unread charts", clients: long, connections: 64, use: unread(validKey(charts))},
		{name: "agents", clients: long, connections: 64, use: requests(func(c *connection) string { return post(c.key(), len(message)) + message })},
		{name: "slow messages", clients: long, connections: 500, use: slow(func(c *connection) string { return post(c.key(), largest) + strings.Repeat(" ", largest-1000) }, " ", 500*time.Millisecond)},
		{name: "imports", clients: []string{"umbrella"}},
	}
}

// unknownKey asks with another key each time, none of which was ever issued.
func unknownKey(path string, headers ...string) func(*connection) string {
	return func(*connection) string { return get(path, newKey(), headers...) }
}

func newKey() string { return "cik_" + rand.Text()[:12] + "_" + strings.Repeat("x", 49) }

func validKey(path string) func(*connection) string {
	return func(c *connection) string { return get(path, c.key()) }
}

// noKey asks for what needs a key and for what needs none.
func noKey(c *connection) string {
	if c.number%2 == 0 {
		return get(interviews, "")
	}
	return get(documents, "")
}

// hostileSearch asks for a letter that no interview has, or for a text that differs from
// all of them in its last letter only.
func hostileSearch(c *connection) string {
	text := "b"
	if c.number/2%2 == 0 {
		text = strings.Repeat("a", 499) + "b"
	}
	return get(search+text, c.key())
}

func get(path, key string, headers ...string) string {
	if key != "" {
		headers = append(headers, "Authorization: Bearer "+key)
	}
	return "GET " + path + " HTTP/1.1\r\n" + strings.Join(append(headers, "Host: x"), "\r\n") + "\r\n\r\n"
}

// post is the head of an agent's message.
func post(key string, length int) string {
	return fmt.Sprintf("POST %s/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nContent-Length: %d\r\n\r\n", cluster.Prefix, key, length)
}

// requests sends one request after the other, each as soon as the last is answered.
func requests(text func(*connection) string) func(context.Context, *connection) error {
	return func(ctx context.Context, c *connection) error {
		for answers := bufio.NewReader(c); ; {
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
			c.statuses.Add(strconv.Itoa(answer.StatusCode), 1)
			if answer.Close {
				return nil
			}
			if answer.StatusCode == http.StatusServiceUnavailable && c.keys != nil {
				pause(ctx, 100*time.Millisecond) // a refused request counts: its quota is to last
			}
		}
	}
}

// slow sends a beginning at once, and then one piece after the other.
func slow(beginning func(*connection) string, piece string, interval time.Duration) func(context.Context, *connection) error {
	return func(ctx context.Context, c *connection) error {
		_, err := io.WriteString(c, beginning(c))
		for ; err == nil && ctx.Err() == nil; _, err = io.WriteString(c, piece) {
			pause(ctx, interval)
		}
		return err
	}
}

// idle sends nothing until the connection is closed.
func idle(_ context.Context, c *connection) error {
	_, err := c.Read(make([]byte, 1))
	return err
}

// unread sends requests, and reads nothing for ten seconds.
func unread(text func(*connection) string) func(context.Context, *connection) error {
	return func(ctx context.Context, c *connection) error {
		if err := c.tcp.SetReadBuffer(8 << 10); err != nil {
			return err
		}
		if _, err := io.WriteString(c, text(c)); err != nil {
			return err
		}
		pause(ctx, 10*time.Second)
		return nil
	}
}

//go:build linux

package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// connections is how many an attacker opens.
const connections = 5000

// unknownPrefixes are well-formed keys that were never issued, another for each request.
func unknownPrefixes(ctx context.Context, s *environment, own *tally) (func(), error) {
	return flood(ctx, s, own, connections, "/interviews?limit=1", func(int) string { return unknownKey() }), nil
}

func unknownKey() string { return "cik_" + rand.Text()[:12] + "_" + strings.Repeat("x", 49) }

// noKey sends requests without a key on all connections.
func noKey(ctx context.Context, s *environment, own *tally) (func(), error) {
	return flood(ctx, s, own, connections, "/interviews?limit=1", func(int) string { return "" }), nil
}

// largeHeads are requests with as many headers as are accepted and with thousands of a few
// bytes each, every other with a good key, the rest with keys that were never issued.
func largeHeads(ctx context.Context, s *environment, own *tally) (func(), error) {
	const connections, size = 2000, 11 << 10
	keys, err := s.pg.IssueKeys(ctx, "globex", 1)
	if err != nil {
		return nil, err
	}
	var headers [2]string
	for kind, value := range []string{strings.Repeat("x", 100), ""} {
		for i := 0; len(headers[kind]) < size && i < 98+kind*size; i++ {
			headers[kind] += "x" + strconv.FormatInt(int64(i), 36) + ":" + value + "\r\n"
		}
	}
	return many(connections, func(i int) {
		for ctx.Err() == nil {
			key := keys[0]
			if i%2 == 0 {
				key = unknownKey()
			}
			head := fmt.Sprintf("GET %s/interviews?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n%s\r\n",
				cluster.Prefix, key, headers[i/2%2])
			if sendHeads(ctx, s, own, head) != nil {
				rest(ctx, 100*time.Millisecond)
			}
		}
	}, nil), nil
}

// sendHeads sends a request without a body, again and again on one connection.
func sendHeads(ctx context.Context, s *environment, own *tally, head string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(s.server.URL, "http://"))
	if err != nil {
		return fmt.Errorf("connecting: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	for answers := bufio.NewReader(conn); ; {
		began := time.Now()
		if _, err := io.WriteString(conn, head); err != nil {
			return fmt.Errorf("sending: %w", err)
		}
		answer, err := http.ReadResponse(answers, nil)
		if err != nil {
			return fmt.Errorf("reading: %w", err)
		}
		_, err = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			return fmt.Errorf("reading: %w", err)
		}
		own.add(cluster.Response{Status: answer.StatusCode, Header: answer.Header, Took: time.Since(began)})
	}
}

// idleConnections are those of one key, each with a request now and then.
func idleConnections(ctx context.Context, s *environment, own *tally) (func(), error) {
	keys, err := s.pg.IssueKeys(ctx, "globex", 1)
	if err != nil {
		return nil, err
	}
	caller := cluster.NewCaller(connections)
	return many(connections, func(int) {
		for ctx.Err() == nil {
			own.add(caller.Get(context.WithoutCancel(ctx), s.server.URL, "/campaigns?limit=1", keys[0]))
			rest(ctx, 20*time.Second)
		}
	}, caller.Close), nil
}

// oneKey is one key on all connections at once, far beyond its 600.
func oneKey(ctx context.Context, s *environment, own *tally) (func(), error) {
	keys, err := s.pg.IssueKeys(ctx, "globex", 1)
	if err != nil {
		return nil, err
	}
	return flood(ctx, s, own, connections, "/interviews?limit=1", func(int) string { return keys[0] }), nil
}

// rareSearches look for what no interview holds, many at once.
func rareSearches(ctx context.Context, s *environment, own *tally) (func(), error) {
	keys, err := s.pg.IssueKeys(ctx, "globex", 16)
	if err != nil {
		return nil, err
	}
	return flood(ctx, s, own, 64, "/intelligence/search?q=zanzibar+of+five+rare+words", func(i int) string { return keys[i%len(keys)] }), nil
}

// largeBases are first pages, each with the ids of up to 10,000 interviews.
func largeBases(ctx context.Context, s *environment, own *tally) (func(), error) {
	keys, err := s.pg.IssueKeys(ctx, "initech", 16)
	if err != nil {
		return nil, err
	}
	return flood(ctx, s, own, 64, "/interviews?limit=1", func(i int) string { return keys[i%len(keys)] }), nil
}

// flood sends requests on so many connections, each as soon as the last is answered.
func flood(ctx context.Context, s *environment, own *tally, connections int, path string, key func(i int) string) (wait func()) {
	caller := cluster.NewCaller(connections)
	return many(connections, func(i int) {
		for ctx.Err() == nil {
			own.add(caller.Get(context.WithoutCancel(ctx), s.server.URL, path, key(i)))
		}
	}, caller.Close)
}

// unreadPages are pages of 6 MB that their caller does not read.
func unreadPages(ctx context.Context, s *environment, own *tally) (func(), error) {
	return slowReaders(ctx, s, own, 160, "initech", "/interviews?limit=200", 0)
}

// unreadLists are pages below the size from which unsent answers are counted, as many as
// a client may have under way.
func unreadLists(ctx context.Context, s *environment, own *tally) (func(), error) {
	return slowReaders(ctx, s, own, 1024, "globex", "/interviews?limit=100", 0)
}

// slowStreams are long windows that are read a little now and then.
func slowStreams(ctx context.Context, s *environment, own *tally) (func(), error) {
	return slowReaders(ctx, s, own, 32, "globex", "/analytics/interviews?date_from=2000-01-01", 4<<10)
}

// slowReaders read so many bytes of an answer every tenth of a second.
func slowReaders(ctx context.Context, s *environment, own *tally, connections int, client, path string, piece int) (func(), error) {
	keys, err := s.pg.IssueKeys(ctx, client, 16)
	if err != nil {
		return nil, err
	}
	narrow := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return conn, conn.(*net.TCPConn).SetReadBuffer(8 << 10)
	}}
	reader := &http.Client{Transport: narrow}
	return many(connections, func(i int) {
		for ctx.Err() == nil {
			readSlowly(ctx, reader, s.server.URL+cluster.Prefix+path, keys[i%len(keys)], piece, own)
		}
	}, narrow.CloseIdleConnections), nil
}

func readSlowly(ctx context.Context, client *http.Client, url, key string, piece int, own *tally) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Accept-Encoding", "identity")
	began := time.Now()
	answer, err := client.Do(request)
	if err != nil {
		rest(ctx, 100*time.Millisecond)
		return
	}
	defer answer.Body.Close()
	own.add(cluster.Response{Status: answer.StatusCode, Header: answer.Header, Took: time.Since(began)})
	if answer.StatusCode != http.StatusOK {
		rest(ctx, time.Second)
		return
	}
	for buffer := make([]byte, piece); ctx.Err() == nil; rest(ctx, 100*time.Millisecond) {
		if piece == 0 {
			continue
		}
		if _, err := answer.Body.Read(buffer); err != nil {
			return
		}
	}
}

// agents call tools with the largest results.
func agents(ctx context.Context, s *environment, own *tally) (func(), error) {
	const calls = 64
	keys, err := s.pg.IssueKeys(ctx, "globex", 16)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: calls}}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_interview_analytics","arguments":{"include_rows":true}}}`
	return many(calls, func(i int) {
		for ctx.Err() == nil {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.server.URL+cluster.Prefix+"/mcp", strings.NewReader(body))
			if err != nil {
				return
			}
			for name, value := range map[string]string{
				"Authorization": "Bearer " + keys[i%len(keys)], "Content-Type": "application/json",
				"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25",
			} {
				request.Header.Set(name, value)
			}
			began := time.Now()
			answer, err := client.Do(request)
			if err != nil {
				continue
			}
			own.add(cluster.Response{Status: answer.StatusCode, Header: answer.Header, Took: time.Since(began)})
			_ = answer.Body.Close()
		}
	}, client.CloseIdleConnections), nil
}

// imports replace a client's history, one file after the other.
func imports(ctx context.Context, s *environment, own *tally) (func(), error) {
	var file strings.Builder
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 2, From: time.Now().AddDate(-1, 0, 0), To: time.Now(),
		Clients: []corpus.ClientOptions{{Slug: "umbrella", Mode: corpus.ModeCanonical, Interviews: 5_000, Campaigns: 3}},
	}); err != nil {
		return nil, fmt.Errorf("making a file: %w", err)
	}
	return many(1, func(int) {
		for ctx.Err() == nil {
			status := 200
			if err := s.base.Import(s.pg, file.String()); err != nil {
				status = 0
			}
			own.add(cluster.Response{Status: status})
		}
	}, nil), nil
}

//go:build linux

package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Prefix is what every route of the API begins with.
const Prefix = "/api/client/v1"

// Caller asks a server. Its connections are its own.
type Caller struct{ client *http.Client }

// NewCaller keeps up to so many connections to a server.
func NewCaller(connections int) *Caller {
	return &Caller{&http.Client{Transport: &http.Transport{
		MaxIdleConns: connections, MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections,
	}}}
}

// Close closes the connections.
func (c *Caller) Close() { c.client.CloseIdleConnections() }

// Response is how a request ended.
type Response struct {
	Status int // 0: the connection broke, or no answer came in time
	Header http.Header
	Body   []byte
	// Code is the error envelope's.
	Code string
	Took time.Duration
	Err  error
}

// requestTimeout is when an answer counts as never coming.
const requestTimeout = 40 * time.Second

// Get asks for a path below the prefix.
func (c *Caller) Get(ctx context.Context, server, path, key string) Response {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server+Prefix+path, nil)
	if err != nil {
		return Response{Err: err}
	}
	request.Header.Set("Authorization", "Bearer "+key)
	began := time.Now()
	response, err := c.client.Do(request)
	if err != nil {
		return Response{Err: err, Took: time.Since(began)}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	a := Response{Status: response.StatusCode, Header: response.Header, Body: body, Took: time.Since(began), Err: err}
	if err != nil {
		a.Status = 0
	}
	if a.Status >= 400 {
		var envelope struct{ Code string }
		_ = json.Unmarshal(body, &envelope)
		a.Code = envelope.Code
	}
	return a
}

// Walk reads a list to its end and returns the data of each page; of anything
// else, its data. The path has a query.
func (c *Caller) Walk(ctx context.Context, server, path, key string) ([]string, error) {
	var pages []string
	for after := ""; ; {
		a := c.Get(ctx, server, path+after, key)
		var page struct {
			Data json.RawMessage
			Meta struct {
				HasMore    bool   `json:"has_more"`
				NextCursor string `json:"next_cursor"`
			}
		}
		if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != http.StatusOK {
			return pages, fmt.Errorf("%s: status %d, %w: %s", path+after, a.Status, errors.Join(err, a.Err), a.Body)
		}
		pages = append(pages, string(page.Data))
		if !page.Meta.HasMore {
			return pages, nil
		}
		after = "&starting_after=" + url.QueryEscape(page.Meta.NextCursor)
	}
}

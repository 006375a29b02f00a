package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/tools/bench/baseline"
)

// position is where a page begins: after this row.
type position struct {
	Cursor    string
	CreatedAt time.Time
	ID        uuid.UUID
}

// listPage is what is read of a page of interviews.
type listPage struct {
	Data []struct {
		ID        uuid.UUID `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	} `json:"data"`
	Meta struct {
		Count      int    `json:"count"`
		NextCursor string `json:"next_cursor"`
	} `json:"meta"`
}

const listPath = "/api/client/v1/interviews"

// positionsOf are positions in the middle of a client's interviews, from a walk
// through all of them. Cursors never expire, so they are kept for the next call.
func (s *session) positionsOf(ctx context.Context, v *serverProcess, slug string) ([]position, error) {
	if c := s.clients[slug]; c != nil && c.positions != nil {
		return c.positions, nil
	}
	keys, err := s.keyPool(ctx, slug)
	if err != nil {
		return nil, err
	}
	return s.positionsWith(ctx, v, slug, keys)
}

// positionsWith is positionsOf with keys that are at hand.
func (s *session) positionsWith(ctx context.Context, v *serverProcess, slug string, keys *keyPool) ([]position, error) {
	c := s.clients[slug]
	if c == nil {
		return nil, fmt.Errorf("the corpus has no client %s", slug)
	}
	if c.positions != nil {
		return c.positions, nil
	}
	var err error
	path := s.positionsPath(slug)
	all := readPositions(path)
	if len(all) > 0 {
		if _, err := askPage(ctx, v, keys.keys[0], listPath+"?limit=50&starting_after="+all[0].Cursor); err != nil {
			all = nil // of another database, or another kind of cursor
		}
	}
	if len(all) == 0 {
		s.logf("walking through %d interviews of %s", c.usable, slug)
		if all, err = walk(ctx, v, keys, c); err != nil {
			return nil, err
		}
		text, err := json.Marshal(all)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return nil, err
		}
	}
	c.positions = all[len(all)/10 : max(len(all)*9/10, len(all)/10+1)]
	return c.positions, nil
}

// positionsPath is the file that keeps all positions of a client.
func (s *session) positionsPath(slug string) string {
	return filepath.Join(s.home, "bench.positions-"+slug+".json")
}

func readPositions(path string) []position {
	var all []position
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &all) != nil {
		return nil
	}
	return all
}

// walk reads a client's whole list, and proves that it is whole.
func walk(ctx context.Context, v *serverProcess, keys *keyPool, c *client) ([]position, error) {
	var all []position
	rows := 0
	query := url.Values{"limit": {"200"}}
	for n := 0; ; n++ {
		found, err := askPage(ctx, v, keys.keys[n%len(keys.keys)], listPath+"?"+query.Encode())
		if err != nil {
			return nil, fmt.Errorf("walking through %s: %w", c.slug, err)
		}
		keys.used++
		rows += len(found.Data)
		if found.Meta.NextCursor == "" {
			break
		}
		last := found.Data[len(found.Data)-1]
		all = append(all, position{found.Meta.NextCursor, last.CreatedAt, last.ID})
		query.Set("starting_after", found.Meta.NextCursor)
	}
	if rows != c.usable {
		return nil, fmt.Errorf("a walk through %s found %d interviews of %d", c.slug, rows, c.usable)
	}
	return all, nil
}

func askPage(ctx context.Context, v *serverProcess, key, path string) (listPage, error) {
	var found listPage
	body, err := get(ctx, v, key, path)
	if err != nil {
		return found, err
	}
	if err := json.Unmarshal(body, &found); err != nil {
		return found, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}

// get sends one request, without the load generator.
func get(ctx context.Context, v *serverProcess, key, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+v.address+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: status %d: %.300s", path, res.StatusCode, body)
	}
	return body, err
}

// pagePaths are the product's pages after these positions.
func pagePaths(positions []position, limit int) []string {
	paths := make([]string, len(positions))
	for i, p := range positions {
		paths[i] = fmt.Sprintf("%s?limit=%d&starting_after=%s", listPath, limit, p.Cursor)
	}
	return paths
}

// baselinePaths are the same of the baseline server.
func baselinePaths(c *client, positions []position, limit int) []string {
	paths := make([]string, len(positions))
	for i, p := range positions {
		paths[i] = fmt.Sprintf("%s?limit=%d&starting_after=%s", listPath, limit,
			baseline.Cursor([]byte(baselineSecret), c.id, p.CreatedAt, p.ID))
	}
	return paths
}

// minimalPaths are the same of the minimal server.
func minimalPaths(c *client, positions []position) []string {
	paths := make([]string, len(positions))
	for i, p := range positions {
		paths[i] = baseline.MinimalPath(c.id, p.CreatedAt, p.ID)
	}
	return paths
}

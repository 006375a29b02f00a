package main

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/internal/access"
)

// stage is what most measures begin with: a fresh server, a brand, keys to ask
// with and places in the middle of its interviews.
type stage struct {
	service *service
	brand   *brand
	keys    *ring
	places  []place
}

// begin starts a server of the release build for one measure; its memory is
// that measure's alone.
func (s *session) begin(ctx context.Context, slug string, scopes ...access.Scope) (*stage, error) {
	v, err := s.startServer(ctx, "server", s.product)
	if err != nil {
		return nil, err
	}
	found, err := s.on(ctx, v, slug, scopes...)
	if err != nil {
		v.stop()
		return nil, err
	}
	return found, nil
}

// on is a stage on a server that runs already.
func (s *session) on(ctx context.Context, v *service, slug string, scopes ...access.Scope) (*stage, error) {
	places, err := s.placesOf(ctx, v, slug)
	if err != nil {
		return nil, err
	}
	keys, err := s.ring(ctx, slug, scopes...)
	return &stage{v, s.brands[slug], keys, places}, err
}

func (g *stage) stop() { g.service.stop() }

// pages asks for pages in the middle.
func (g *stage) pages(rows, connections int) ask {
	return ask{
		service: g.service, keys: g.keys, paths: pagePaths(g.places, rows), connections: connections, contains: full(rows),
	}
}

// full is what a page of so many rows holds.
func full(rows int) string { return fmt.Sprintf(`"count":%d,`, rows) }

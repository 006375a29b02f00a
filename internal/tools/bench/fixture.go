package main

import (
	"context"
	"fmt"

	"github.com/clientintel/clientintel/internal/auth"
)

// fixture is what most measures use: a new server, a client, keys and positions in
// the middle of the client's interviews.
type fixture struct {
	service   *serverProcess
	client    *client
	keys      *keyPool
	positions []position
}

// newFixture starts a server of the release build for one measure, so that its peak
// memory is this measure's alone.
func (s *session) newFixture(ctx context.Context, slug string, scopes ...auth.Scope) (*fixture, error) {
	v, err := s.startServer(ctx, "server", s.product)
	if err != nil {
		return nil, err
	}
	found, err := s.fixtureOn(ctx, v, slug, scopes...)
	if err != nil {
		v.stop()
		return nil, err
	}
	return found, nil
}

// fixtureOn uses a server that runs already.
func (s *session) fixtureOn(ctx context.Context, v *serverProcess, slug string, scopes ...auth.Scope) (*fixture, error) {
	positions, err := s.positionsOf(ctx, v, slug)
	if err != nil {
		return nil, err
	}
	keys, err := s.keyPool(ctx, slug, scopes...)
	return &fixture{v, s.clients[slug], keys, positions}, err
}

func (g *fixture) stop() { g.service.stop() }

// pages are requests for pages in the middle.
func (g *fixture) pages(rows, connections int) requests {
	return requests{
		service: g.service, keys: g.keys, paths: pagePaths(g.positions, rows), connections: connections, contains: pageCount(rows),
	}
}

// pagesAt are pages of 50 after these positions.
func (g *fixture) pagesAt(positions []position) requests {
	a := g.pages(50, fewConnections)
	a.paths = pagePaths(positions, 50)
	return a
}

// pageCount is what a page of so many rows holds.
func pageCount(rows int) string { return fmt.Sprintf(`"count":%d,`, rows) }

package main

import (
	"context"
	"fmt"
	"slices"
)

// Goals 16 to 19 are the page at one connection, at a few and at many, of one
// client and of many clients in turn.
var concurrencies = []int{1, fewConnections, manyConnections}

// pageSet is where pages are read: keys and positions of one client, or of many.
type pageSet struct {
	name    string // the end of a goal's key: empty for one client
	title   string
	clients []*client
	keys    *keyPool
}

// measureConcurrency is goals 16 to 19, a comparison for each set of pages.
func (s *session) measureConcurrency(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	baselineServer, err := s.startBaseline(ctx)
	if err != nil {
		return err
	}
	defer baselineServer.stop()
	others, stop, err := s.variants(ctx)
	if err != nil {
		return err
	}
	defer stop()
	sets, err := s.pageSets(ctx, g)
	if err != nil {
		return err
	}
	for _, set := range sets {
		c := &concurrency{session: s, set: set, ours: map[int]*series{}, theirs: map[int]*series{}, own: map[int]*series{}, minimal: map[int]*series{}, others: map[int][]*series{}}
		if !slices.ContainsFunc(concurrencies, c.wantsPages) {
			continue
		}
		if err := c.measure(ctx, g.service, baselineServer, others); err != nil {
			return err
		}
		c.set16to19()
	}
	return nil
}

// pageSets walks through the clients that a page is read of.
func (s *session) pageSets(ctx context.Context, g *fixture) ([]pageSet, error) {
	var mixed []*client
	var slugs []string
	for slug := range s.clients {
		slugs = append(slugs, slug)
	}
	slices.Sort(slugs)
	slugs = slices.DeleteFunc(slugs, func(slug string) bool { return slug == clientTied })
	keys, err := s.keyPoolOf(ctx, slugs)
	if err != nil {
		return nil, err
	}
	for i, slug := range slugs {
		if _, err := s.positionsWith(ctx, g.service, slug, keys.of(i)); err != nil {
			return nil, err
		}
		mixed = append(mixed, s.clients[slug])
	}
	return []pageSet{
		{title: "one client", clients: []*client{g.client}, keys: g.keys},
		{name: "_mixed", title: fmt.Sprintf("%d clients", len(mixed)), clients: mixed, keys: keys},
	}, nil
}

// paths are pages in turn of each client, as many of each.
func (p pageSet) paths(of func(*client, []position) []string) []string {
	most := 0
	for _, c := range p.clients {
		most = max(most, min(len(c.positions), 5000/len(p.clients)))
	}
	each := make([][]string, len(p.clients))
	for i, c := range p.clients {
		each[i] = of(c, c.positions)
	}
	var all []string
	for n := range most {
		for _, paths := range each {
			all = append(all, paths[n%len(paths)])
		}
	}
	return all
}

// scripts are the product's own pages, of each client.
func (p pageSet) scripts() []script {
	all := make([]script, len(p.clients))
	for i, c := range p.clients {
		all[i] = pageScript(c, 50, false)
	}
	return all
}

// concurrency is a comparison of one set of pages.
type concurrency struct {
	*session
	set          pageSet
	ours, theirs map[int]*series
	bounds       map[int][]*series
	// own is the product's SQL on PostgreSQL alone, minimal the minimal server,
	// others are the servers named with -against: all are only shown.
	own, minimal map[int]*series
	others       map[int][]*series
}

func (c *concurrency) measure(ctx context.Context, product, baselineServer *serverProcess, others []*serverProcess) error {
	var workloads []workload
	var keep []func(*series)
	add := func(one workload, f func(*series)) {
		workloads, keep = append(workloads, one), append(keep, f)
	}
	ours := c.set.paths(func(_ *client, all []position) []string { return pagePaths(all, 50) })
	theirs := c.set.paths(func(one *client, all []position) []string { return baselinePaths(one, all, 50) })
	minimal := c.set.paths(minimalPaths)
	pages := func(v *serverProcess, name string, paths []string, connections int) workload {
		return c.httpWorkload(fmt.Sprintf("%s, %s, %d connections", name, c.set.title, connections), requests{
			service: v, keys: c.set.keys, paths: paths, groups: len(c.set.clients), connections: connections, contains: pageCount(50),
		})
	}
	upperBound, err := c.pageUpperBound(ctx, c.set)
	if err != nil {
		return err
	}
	c.bounds = map[int][]*series{}
	for _, n := range concurrencies {
		if c.wantsPages(n) {
			add(pages(product, "server", ours, n), func(one *series) { c.ours[n] = one })
			for _, other := range others {
				add(pages(other, other.name, ours, n), func(one *series) { c.others[n] = append(c.others[n], one) })
			}
		}
		if c.wants(c.key("18", n)) {
			add(pages(baselineServer, "baseline server", theirs, n), func(one *series) { c.theirs[n] = one })
		}
		if c.wantsUpperBound(n) {
			for _, one := range upperBound[n] {
				add(one, func(one *series) { c.bounds[n] = append(c.bounds[n], one) })
			}
			own, err := c.pgbenchMode(fmt.Sprintf("the product's SQL, %s, %d connections", c.set.title, n), "generic", n, c.set.scripts()...)
			if err != nil {
				return err
			}
			add(own, func(one *series) { c.own[n] = one })
			add(pages(baselineServer, "minimal server", minimal, n), func(one *series) { c.minimal[n] = one })
		}
	}
	all, err := c.compare(ctx, "pages of "+c.set.title, workloads...)
	for i, one := range all {
		keep[i](one)
	}
	return err
}

// key is that of a goal's measure at so many connections.
func (c *concurrency) key(goal string, connections int) string {
	return fmt.Sprintf("%s_%d%s", goal, connections, c.set.name)
}

// wantsPages reports whether the server's pages at so many connections are asked for.
func (c *concurrency) wantsPages(n int) bool {
	return c.wants(c.key("16", n), c.key("17", n), c.key("18", n)) || n != fewConnections && c.wants("19"+c.set.name)
}

// wantsUpperBound reports the same of the upper bound, which counts for more connections too.
func (c *concurrency) wantsUpperBound(n int) bool {
	return slices.ContainsFunc(concurrencies, func(more int) bool { return more >= n && c.wants(c.key("16", more)) })
}

// set16to19 reports the goals that were asked for.
func (c *concurrency) set16to19() {
	var below []*series // the upper bound at as many connections or fewer
	for _, n := range concurrencies {
		ours := slices.Clip(append([]*series{c.ours[n]}, c.others[n]...))
		below = append(below, c.bounds[n]...)
		if key := c.key("16", n); c.wants(key) {
			c.report.set(key, ours[0].ratioTo(best(rate, below...), rate), append(append(ours, c.bounds[n]...), c.own[n], c.minimal[n])...)
		}
		if key := c.key("17", n); c.wants(key) {
			c.report.set(key, ours[0].absolute(func(m sample) float64 { return m.p99.Seconds() / m.p50.Seconds() }), ours...)
		}
		if key := c.key("18", n); c.wants(key) {
			c.report.set(key, ours[0].ratioTo(c.theirs[n], rate), append(ours, c.theirs[n])...)
		}
	}
	if c.wants("19" + c.set.name) {
		all := []*series{c.ours[1], c.ours[manyConnections]}
		c.report.set("19"+c.set.name, all[0].ratioTo(all[1], cpuTime), append(append(all, c.others[1]...), c.others[manyConnections]...)...)
	}
}

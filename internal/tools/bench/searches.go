package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/corpus"
	"github.com/clientintel/clientintel/internal/tools/bench/load"
)

// searchKind is a text that stands for many of its kind. What a search costs
// depends on how many hits there are, how new they are, and whether an index
// can find them.
type searchKind struct{ name, text string }

func searchKinds() []searchKind {
	return []searchKind{
		{"very common word", corpus.TermVeryCommon},
		{"word of 4 %", corpus.TermCommon},
		{"with a _", corpus.TermUnderscore},
		{"with a %", corpus.TermPercent},
		{"rare word", corpus.TermRare},
		{"absent word", absentWord},
		{"two letters, none", shortText},
		{"letter and digit, none", "q7"},
		{"one letter", "e"},
		{"% alone", "%"},
		{"_ alone", "_"},
		{"\\ alone, none", `\`},
		{"rare phrase of common words", corpus.PhraseRare},
		{"common trigrams", "ing the"},
		{"accents, upper case", "CRÈME BRÛLÉE"},
		{"seven common words, none", "support order delivery the quality again parcel"},
	}
}

const (
	absentWord = "qqxyzzy"
	shortText  = "zo"
	searchPath = "/api/client/v1/intelligence/search?q="
	// searchesPerDuration is the part of a workload's time that each of the many kinds gets.
	searchesPerDuration = 8
)

func searchFor(text string) string { return searchPath + url.QueryEscape(text) }

// measureSearch is goals 9 and 10.
func (s *session) measureSearch(ctx context.Context) error {
	v, err := s.startServer(ctx, "server", s.product)
	if err != nil {
		return err
	}
	defer v.stop()
	large, err := s.keyPool(ctx, clientLarge, auth.ReadCustomExtraction)
	if err != nil {
		return err
	}
	three, err := s.keyPool(ctx, clientThree, auth.ReadCustomExtraction)
	if err != nil {
		return err
	}
	of := func(keys *keyPool, texts ...string) requests {
		a := requests{service: v, keys: keys, connections: 1, contains: `"query":`}
		for _, text := range texts {
			a.paths = append(a.paths, searchFor(text))
		}
		return a
	}
	if s.wants("9") {
		if err := s.measureKinds(ctx, of, large, three); err != nil {
			return err
		}
	}
	if !s.wants("10") {
		return nil
	}
	all, err := s.compare(ctx, "searches at their slowest",
		s.httpWorkload("search, common term", of(large, corpus.TermVeryCommon, corpus.TermCommon)),
		s.httpWorkload("search, rare or absent word", of(large, corpus.TermRare, absentWord)),
		s.httpWorkload("search, rare phrase", of(large, corpus.PhraseRare)))
	if err != nil {
		return err
	}
	for i, key := range []string{"10a", "10b", "10c"} {
		s.report.set(key, all[i].absolute(p99Millis), all[i])
	}
	return nil
}

// measureKinds is goal 9: every kind, on a large and on a small client.
func (s *session) measureKinds(ctx context.Context, of func(*keyPool, ...string) requests, large, three *keyPool) error {
	kinds := searchKinds()
	var workloads []workload
	// strpos itself takes longer for a short text: two letters are its worst.
	for _, text := range []string{shortText, absentWord} {
		scan, err := s.pgbenchWorkload("pgbench, strpos for "+text, script{
			query:     "SELECT count(*) FROM search_documents AS d WHERE d.client_id = $1 AND strpos(d.folded, $2) > 0",
			variables: []any{s.clients[clientLarge].id, text},
		}, 1)
		if err != nil {
			return err
		}
		workloads = append(workloads, scan)
	}
	scans := len(workloads)
	for _, keys := range []*keyPool{large, three} {
		for _, kind := range kinds {
			workloads = append(workloads, shortened(s.httpWorkload(fmt.Sprintf("%s: %s", keys.clients[0], kind.name), of(keys, kind.text))))
		}
	}
	all, err := s.compare(ctx, "kinds of search", workloads...)
	if err != nil {
		return err
	}
	slowest, onThree := all[scans:scans+len(kinds)], all[scans+len(kinds):]
	worst := best(meanSeconds, slowest...)
	for i, kind := range kinds {
		if slowest[i] == worst {
			s.worstSearch = kind.text
		}
	}
	s.report.set("9a", worst.ratioTo(all[0], meanSeconds), all[:scans+len(kinds)]...).note = "the worst is " + worst.name
	worst = best(meanSeconds, onThree...)
	s.report.set("9b", worst.absolute(func(m sample) float64 { return m.mean.Seconds() * 1000 }), worst).note = "the worst is " + worst.name
	return nil
}

// shortened is a workload that is one of many.
func shortened(one workload) workload {
	run := one.run
	one.run = func(ctx context.Context, d time.Duration) (sample, error) { return run(ctx, d/searchesPerDuration) }
	return one
}

func p99Millis(m sample) float64 { return m.p99.Seconds() * 1000 }

// measurePagesBesideSearch is goal 11: pages alone, and while a server that
// lets one slow search through at a time is always busy with one.
func (s *session) measurePagesBesideSearch(ctx context.Context) error {
	g, err := s.newFixture(ctx, clientLarge)
	if err != nil {
		return err
	}
	defer g.stop()
	searchers, err := s.keyPool(ctx, clientLarge, auth.ReadCustomExtraction)
	if err != nil {
		return err
	}
	text := s.worstSearch
	if text == "" {
		text = shortText
	}
	quiet := s.httpWorkload("pages, quiet", g.pages(50, fewConnections))
	beside := workload{fmt.Sprintf("pages, beside a search for %q", text), func(ctx context.Context, d time.Duration) (sample, error) {
		searching := make(chan error, 1)
		go func() {
			// A little longer than the pages, which begin once it is under way.
			found, err := s.generate(ctx, load.Job{
				Targets: []string{g.service.address}, Connections: 1, Duration: d + 300*time.Millisecond,
				Keys: searchers.keys, FirstKey: searchers.used, Paths: []string{searchFor(text)}, Statuses: []int{200},
				Contains: `"query":`,
			})
			searchers.used += found.Requests
			searching <- err
		}()
		time.Sleep(150 * time.Millisecond)
		took, err := quiet.run(ctx, d)
		if searchErr := <-searching; searchErr != nil {
			return took, searchErr
		}
		return took, err
	}}
	all, err := s.compare(ctx, "pages beside a search", quiet, beside)
	if err != nil {
		return err
	}
	s.report.set("11", all[1].ratioTo(all[0], p99Millis), all...)
	return nil
}

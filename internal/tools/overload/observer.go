//go:build linux

package main

import (
	"context"
	"sync"
	"time"

	"github.com/clientintel/clientintel/internal/test/cluster"
)

// observed is the client that must not notice what others do.
const observed = "acme"

// observer asks as that client, with each key at an interval.
type observer struct {
	url      string
	keys     []string
	interval time.Duration
}

// answer is one to the observed client.
type answer struct {
	began time.Time
	cluster.Response
}

// observe asks at moments spread over the interval. Every other key opens a connection for
// each request.
func (o observer) observe(ctx context.Context, length time.Duration) (answers []answer) {
	began := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, key := range o.keys {
		all.Go(func() {
			caller := cluster.NewCaller(1)
			defer caller.Close()
			for at := o.interval * time.Duration(i) / time.Duration(len(o.keys)); at < length && ctx.Err() == nil; at += o.interval {
				pause(ctx, time.Until(began.Add(at)))
				a := answer{time.Now(), caller.Get(ctx, o.url, "/interviews?limit=20", key)}
				if i%2 == 1 {
					caller.Close()
				}
				mu.Lock()
				answers = append(answers, a)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return answers
}

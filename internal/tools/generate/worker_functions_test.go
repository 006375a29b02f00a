package main

import (
	"slices"
	"strings"
	"testing"
)

// A function is named by its query and its text, and its statements by the shard's
// number, too, which PostgreSQL would cut off beyond 63 characters.
func TestWorkerFunctionName_Differs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, query := range workerQueries {
		for _, text := range []string{"SELECT 1", "SELECT 1 "} {
			name, err := workerFunctionName(query, text)
			if err != nil || seen[name] || len(name) > 54 {
				t.Errorf("the name %s is another query's, or too long: %v", name, err)
			}
			seen[name] = true
		}
	}
	if name, err := workerFunctionName(strings.Repeat("a", 50), "SELECT 1"); err == nil {
		t.Errorf("%s is too long", name)
	}
}

// A query of shards names each table and view that it reads once, views by what they are
// made of, and reads no table but shards.
func TestOnShards(t *testing.T) {
	t.Parallel()
	usable, named, other := " SELECT i.id FROM (interviews i) WHERE i.name ~~ '%x'::text", " SELECT u.id FROM usable_interviews", "SELECT 1"
	relations := []relation{
		{Name: "campaigns"}, {Name: "interviews"}, {Name: "usable_interviews", Definition: &usable}, {Name: "searched", Definition: &named},
		{Name: "audited_interviews", Definition: &usable}, {Name: "id", Definition: &other}, {Name: "a(b", Definition: &other},
	}
	text, tables := onShards("SELECT u.id FROM searched AS u WHERE u.id LIKE '%' LIMIT $1\n", relations)
	want := "WITH interviews AS NOT MATERIALIZED (SELECT * FROM %s),\nusable_interviews AS NOT MATERIALIZED " +
		"( SELECT i.id FROM (interviews i) WHERE i.name ~~ '%%x'::text),\nsearched AS NOT MATERIALIZED ( SELECT u.id FROM usable_interviews)\n" +
		"(SELECT u.id FROM searched AS u WHERE u.id LIKE '%%' LIMIT $1)"
	if text != want || !slices.Equal(tables, []string{"interviews"}) {
		t.Errorf("of %v:\n%s\nwant\n%s", tables, text, want)
	}
}

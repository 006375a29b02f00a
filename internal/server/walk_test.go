package server_test

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

// seeded is what oracles keep of a row.
type seeded interface{ key() string }

// idsOf are the ids of the rows to keep, in their order.
func idsOf[R seeded](rows []R, keep func(R) bool) []string {
	ids := []string{}
	for _, r := range rows {
		if keep(r) {
			ids = append(ids, r.key())
		}
	}
	return ids
}

// compareMissingLast orders later before earlier, and nothing at the end.
func compareMissingLast(a, b *time.Time) int {
	if a == nil || b == nil {
		return cmp.Compare(map[bool]int{true: 1}[a == nil], map[bool]int{true: 1}[b == nil])
	}
	return b.Compare(*a)
}

// walkAll follows a list to its end and returns every id, in order.
func walkAll(t *testing.T, srv *apitest.Server, path, key string, limit int) []string {
	t.Helper()
	ids := []string{}
	cursor := ""
	for {
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		query := fmt.Sprintf("%s%slimit=%d", path, separator, limit)
		if cursor != "" {
			query += "&starting_after=" + cursor
		}
		list := srv.Get(t, query, key).List(t)
		ids = append(ids, list.IDs(t)...)
		more := string(list.Meta["has_more"]) == "true"
		cursor = list.NextCursor(t)
		if more != (cursor != "") {
			t.Fatalf("has_more is %v and next_cursor %q", more, cursor)
		}
		if !more {
			return ids
		}
		if len(list.Data) != limit {
			t.Fatalf("a page before the last has %d rows, want %d", len(list.Data), limit)
		}
	}
}

// checkWalks compares acme's walks of a list, at every interesting page size, with
// the unpaged order.
func checkWalks(t *testing.T, srv *apitest.Server, path string, want []string) {
	t.Helper()
	key := srv.Issue(t, keyRequest("acme")).Key
	for _, limit := range []int{1, 2, 3, max(len(want)-1, 1), max(len(want), 1), len(want) + 1, 200} {
		check.Slices(t, walkAll(t, srv, path, key, limit), want, path, limit)
	}
}

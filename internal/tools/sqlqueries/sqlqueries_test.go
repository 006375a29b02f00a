package sqlqueries

import (
	"slices"
	"strings"
	"testing"
)

func TestText_ReplacesEachParameter(t *testing.T) {
	t.Parallel()
	all, err := Read("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"GetInterview": "i.client_id = <client_id>", "ListSearchHits": "<campaign>::text"} {
		at := slices.IndexFunc(all, func(q Query) bool { return q.Name == name })
		if at < 0 {
			t.Fatalf("%s is not among %d queries", name, len(all))
		}
		text := all[at].Text(func(name string) string { return "<" + name + ">" })
		if !strings.HasPrefix(text, "SELECT") || strings.ContainsAny(text, "@;") || !strings.Contains(text, want) {
			t.Errorf("%s is\n%s\nwant %s in it", name, text, want)
		}
	}
}

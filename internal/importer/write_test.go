package importer

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/test/corpus"
)

// Row-level security refuses COPY to a hosted PostgreSQL's owner, so rows are staged; a
// login that passes it by copies new ones. What is stored and told is the same.
func TestCopiedAndStagedRowsAreTheSame(t *testing.T) {
	t.Parallel()
	staged, copied := setup(t), setup(t)
	copied.conn = connect(t, copied.SuperuserURL)
	for _, d := range []*database{staged, copied} {
		distributed, err := postgres.IsDistributed(t.Context(), d.conn)
		if err != nil {
			t.Fatal(err)
		}
		var active bool
		if err := d.conn.QueryRow(t.Context(), "SELECT row_security_active('interviews')").Scan(&active); err != nil || active != (d == staged && !distributed) {
			t.Fatalf("row-level security is active: %v (%v)", active, err)
		}
	}
	var file bytes.Buffer
	if _, err := corpus.Generate(&file, corpus.Options{
		Seed: 11,
		Clients: []corpus.ClientOptions{
			{Slug: "first", Mode: corpus.ModeCanonical, Interviews: 1800, Campaigns: 9, Synthesis: 60},
			{Slug: "second", Interviews: 300, Campaigns: 4, Synthesis: 20},
		},
		From: time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
	}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(file.String()), "\n")
	backwards := slices.Clone(lines)
	slices.Reverse(backwards)
	compare := func(what string, o Options, lines ...string) {
		t.Helper()
		var counts [2][]KindSummary
		var dumps [2][]string
		for i, d := range []*database{staged, copied} {
			s, err := Import(t.Context(), d.conn, o, Stream("the input", strings.NewReader(strings.Join(lines, "\n"))))
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			d.wantTrueTotals(t)
			counts[i], dumps[i] = s.Kinds, d.dump(t)
		}
		if !slices.Equal(counts[0], counts[1]) {
			t.Errorf("%s: %+v staged, %+v copied", what, counts[0], counts[1])
		}
		if diff := difference(dumps[0], dumps[1]); diff != "" {
			t.Errorf("%s:\n%.2000s", what, diff)
		}
	}
	compare("all kinds", Options{}, everything...)
	compare("half", Options{}, lines[:len(lines)/2]...)
	compare("all, of which half are known", Options{}, backwards...)
	stranger := strings.Replace(interview(""), someone, "15151515-0000-4000-8000-000000000001", 1)
	inPlaceOfAll := Options{Replace: &Replacement{All: true, MaxRemoved: MaxRemoved{number: 100, percent: true}}}
	compare("in place of all, known ones", inPlaceOfAll, append(slices.Clone(lines[:len(lines)/3]), everything...)...)
	compare("in place of all, a new one", inPlaceOfAll, client(""), stranger)

	for _, d := range []*database{staged, copied} {
		d.mustImport(t, stranger)
		d.Exec(t, "DELETE FROM record_owners")
		before := d.dump(t)
		_, err := Import(t.Context(), d.conn, Options{}, Stream("the input", strings.NewReader(stranger)))
		want := "nothing was imported: writing interviews, lines 1 to 1: line 1: interviews holds a record 15151515-0000-4000-8000-000000000001 that no import wrote: "
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got  %v\nwant %s…", err, want)
		}
		if diff := difference(before, d.dump(t)); diff != "" {
			t.Errorf("a refused import left:\n%s", diff)
		}
	}
}

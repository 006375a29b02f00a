package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// A participant who withdrew is missing from the next full export, and after it
// from the list, the detail, search, totals and analytics, all at once.
func TestImport_AWithdrawnInterviewIsGoneEverywhere(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	var file bytes.Buffer
	if err := demodata.Demo(&file, time.Now().UTC()); err != nil {
		t.Fatal(err)
	}
	brand := demodata.Brands()[0]
	seed.Clients[brand.Slug] = brand.ID
	var lines []string
	for _, text := range strings.Split(strings.TrimSpace(file.String()), "\n") {
		if strings.Contains(text, brand.ID.String()) {
			lines = append(lines, text)
		}
	}
	conn, err := pgx.Connect(context.Background(), srv.Database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	sync := func(lines []string) importer.Summary {
		sum, err := importer.Import(t.Context(), conn, importer.Options{
			Replace: &importer.Replacement{Clients: []string{brand.ID.String()}},
		}, importer.Stream("the input", strings.NewReader(strings.Join(lines, "\n"))))

		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	sync(lines)

	key := srv.KeyFor(t, brand.Slug, auth.All()...)
	newest := srv.Get(t, interviews+"?limit=1", key).List(t)
	id := newest.IDs(t)[0]
	mentions := func(path string) bool {
		return strings.Contains(string(srv.Get(t, path, key).WantStatus(t, 200).Body), id)
	}
	total := func() int {
		var charts struct {
			Data struct {
				Total int
				Rows  []json.RawMessage
			}
		}
		srv.Get(t, "/api/client/v1/analytics/interviews?date_from=2000-01-01", key).WantStatus(t, 200).Decode(t, &charts)
		if len(charts.Data.Rows) != charts.Data.Total {
			t.Errorf("%d rows of %d", len(charts.Data.Rows), charts.Data.Total)
		}
		return charts.Data.Total
	}
	const search = "/api/client/v1/intelligence/search?limit=200&q="
	quote := "canary of the withdrawn"
	var rest []string
	for n, text := range lines {
		if !strings.Contains(text, id) || !strings.Contains(text, `"kind":"interview"`) {
			rest = append(rest, text)
			continue
		}
		said := decodeLine(t, []byte(text))
		said["custom_extraction"] = map[string]string{"best_quote": quote}
		changed, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		lines[n] = string(changed)
	}
	sync(lines)
	before, members := total(), len(walkRows(t, srv, key))
	if !mentions(search+strings.ReplaceAll(quote, " ", "+")) || !mentions(interviews+"?limit=1") {
		t.Fatal("the interview is not there to begin with")
	}

	sum := sync(rest)
	for _, k := range sum.Kinds {
		if gone := k.Kind == "interview"; k.Added+k.Changed != 0 || (k.Removed == 1) != gone {
			t.Errorf("got %+v", k)
		}
	}
	if mentions(interviews + "?limit=1") {
		t.Error("the list still has the interview")
	}
	if mentions(search + strings.ReplaceAll(quote, " ", "+")) {
		t.Error("search still finds the interview")
	}
	if got := total(); got != before-1 {
		t.Errorf("analytics counts %d, want %d", got, before-1)
	}
	if got := len(walkRows(t, srv, key)); got != members-1 {
		t.Errorf("the walk has %d rows, want %d", got, members-1)
	}
	srv.Get(t, interviews+"/"+id, key).WantStatus(t, 404)
}

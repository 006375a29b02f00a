package server_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/verify"
)

// line is a record of an import file, its numbers as written.
type line map[string]any

func decodeLine(t *testing.T, text []byte) line {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var l line
	if err := decoder.Decode(&l); err != nil {
		t.Fatalf("decoding %s: %v", text, err)
	}
	return l
}

// The edges of what import accepts. A missing time sorts after all of them.
var (
	edgeTimes = []string{
		"", "0001-01-01T00:00:00.000000Z", "0001-01-01T00:00:00.000001Z", "0001-12-31T23:59:59.999999Z",
		"1970-01-01T00:00:00.000000Z", "2026-03-01T09:30:00.123456Z", "9999-12-31T23:59:59.999999Z",
	}
	edgeDays  = []string{"", "0001-01-01", "0001-01-02", "2024-02-29", "9999-12-31"}
	edgeTexts = []string{
		"", "e\u0301\u0323", "\u202eabc\u202c \u2066x\u2069", "ﷺ\u200d👩\u200d👩\u200d👧", "\u0001\u001f\u007f\u0085\u2028", `"\/`, "\ufffe\uffff\U0010ffff", strings.Repeat("Я", 100_000),
	}
	edgeNumbers = []string{
		"0", "-1", "1.500", "0." + strings.Repeat("0", 398) + "1", strings.Repeat("9", 400), "-" + strings.Repeat("123456789.", 1) + strings.Repeat("7", 391), "9007199254740993",
	}
)

// edgeRow is a record of the model: its sort keys in order, greatest first, and its
// content as the list gives it.
type edgeRow struct {
	keys []string
	id   string
	// content is what identifies the row in the response.
	content string
}

// inOrder sorts as the lists promise: keys descending, missing ones last, then ids.
// The texts of times and days sort as they do, and a missing one is the least.
func inOrder(rows []edgeRow) []string {
	slices.SortFunc(rows, func(a, b edgeRow) int {
		return cmp.Or(slices.Compare(b.keys, a.keys), cmp.Compare(a.id, b.id))
	})
	contents := make([]string, len(rows))
	for i, r := range rows {
		contents[i] = r.content
	}
	return contents
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// What import accepts at its edges comes back in the promised order and as it was,
// whatever the page size, and verify finds nothing wrong with it.
func TestImport_EdgesComeBackAsTheModelSays(t *testing.T) {
	t.Parallel()
	srv, seed := apitest.Start(t)
	acme := seed.Clients["acme"].String()
	r := rand.New(rand.NewPCG(17, 4))
	pick := func(of []string) string { return of[r.IntN(len(of))] }
	var file bytes.Buffer
	write := func(l line) {
		text, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(append(text, '\n'))
	}
	want := map[string][]edgeRow{}
	for n := range 24 {
		id := func(series int) string { return fmt.Sprintf("%08d-0000-4000-8000-%012d", series, n) }
		created := pick(edgeTimes)
		write(line{"kind": "campaign", "client_id": acme, "id": id(1), "slug": id(1), "goal": pick(edgeTexts), "created_at": orNull(created)})
		want["/campaigns"] = append(want["/campaigns"], edgeRow{[]string{created}, id(1), id(1)})

		refreshed, updated := pick(edgeTimes), pick(edgeTimes[1:])
		write(line{"kind": "synthesis_document", "client_id": acme, "id": id(2), "synthesis_type": "home", "document": line{"n": json.Number(pick(edgeNumbers)), "t": pick(edgeTexts)},
			"contract_version": "x", "status": "published", "last_refreshed": orNull(refreshed), "created_at": updated, "updated_at": updated})
		want["/synthesis"] = append(want["/synthesis"], edgeRow{[]string{refreshed, updated}, id(2), id(2)})

		// Bodies have no id, and several are the same.
		day, published, number := pick(edgeDays), pick(edgeTimes), pick(edgeNumbers)
		write(line{"kind": "portal_document", "client_id": acme, "id": id(3), "type": "daily_feed", "feed_date": orNull(day), "published_at": orNull(published),
			"status": "published", "body": line{"schema": "x", "n": json.Number(number)}})
		want["/synthesis?surface=portal&type=daily_feed"] = append(want["/synthesis?surface=portal&type=daily_feed"], edgeRow{[]string{day, published}, id(3), number})

		at := pick(edgeTimes[1:])
		write(line{"kind": "interview", "client_id": acme, "id": id(4), "created_at": at, "status": "completed", "quality": "passed", "reportable": true, "client_safe": true,
			"best_quote": pick(edgeTexts), "custom_extraction": line{"n": json.Number(pick(edgeNumbers))}, "nps_score": json.Number(pick([]string{"-1e308", "9", "5e-324"}))})
		want["/interviews"] = append(want["/interviews"], edgeRow{[]string{at}, id(4), id(4)})
	}
	if _, err := importer.Import(t.Context(), ownerOf(t, srv), importer.Options{}, importer.Stream("the input", bytes.NewReader(file.Bytes()))); err != nil {
		t.Fatal(err)
	}
	sent := map[string]line{}
	for text := range bytes.Lines(file.Bytes()) {
		l := decodeLine(t, text)
		sent[l["id"].(string)] = l
	}
	key := srv.KeyFor(t, "acme")
	for path, rows := range want {
		ordered := inOrder(rows)
		for _, size := range []int{3, 200} {
			var got []string
			var saved bytes.Buffer
			for cursor := ""; ; {
				full := fmt.Sprintf("/api/client/v1%s%slimit=%d", path, map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")], size)
				if cursor != "" {
					full += "&starting_after=" + cursor
				}
				answer := srv.Get(t, full, key).WantStatus(t, 200)
				fmt.Fprintf(&saved, "{\"request\": %q, \"response\": %s}\n", full, answer.Body)
				var page struct{ Data []line }
				decoder := json.NewDecoder(bytes.NewReader(answer.Body))
				decoder.UseNumber()
				if err := decoder.Decode(&page); err != nil {
					t.Fatal(err)
				}
				for _, row := range page.Data {
					id, _ := row["id"].(string)
					got = append(got, cmp.Or(id, fmt.Sprint(row["n"])))
					for _, field := range []string{"goal", "document", "best_quote", "custom_extraction"} {
						if value, there := row[field]; there && sent[id][field] != nil && fmt.Sprint(value) != fmt.Sprint(sent[id][field]) {
							t.Errorf("%s of %s came back otherwise", field, id)
						}
					}
				}
				if cursor = answer.List(t).NextCursor(t); cursor == "" {
					break
				}
			}
			if !slices.Equal(got, ordered) {
				t.Errorf("%s in pages of %d: got %v, want %v", path, size, got, ordered)
			}
			verified, err := verify.Verify(&saved, nil)
			if err != nil {
				t.Fatalf("verify: %v", err)
			}
			for _, r := range verified.Reports {
				if err := r.Err(); err != nil {
					t.Errorf("%s in pages of %d: verify: %v", path, size, err)
				}
			}
		}
	}
	// A window's bound at the edge of time lets no undated campaign in.
	for _, query := range []string{"?date_from=0001-01-01&limit=200", "?date_to=9999-12-31&limit=200"} {
		dated := slices.DeleteFunc(slices.Clone(want["/campaigns"]), func(r edgeRow) bool { return r.keys[0] == "" })
		srv.Get(t, "/api/client/v1/campaigns"+query, key).WantStatus(t, 200).WantIDs(t, inOrder(dated)...)
	}
}

package isolation

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/check"
)

// pair is two installations: in one the other client is there, in the other it is not.
type pair struct {
	mine, theirs client
	both, alone  *installation
	asked        int
}

// TestIsolation_NothingOfAnotherClientShows asks, with one client's key, for
// everything of another's: on every route and tool, in every parameter and in any
// two together. Answer, status and cost are those of an installation without the other
// client, where what is asked for does not exist.
func TestIsolation_NothingOfAnotherClientShows(t *testing.T) {
	t.Parallel()
	for _, clients := range [][2]client{{acme, globex}, {globex, acme}} {
		mine, theirs := clients[0], clients[1]
		t.Run(mine.name+" asks for what is "+theirs.name+"'s", func(t *testing.T) {
			t.Parallel()
			p := &pair{mine: mine, theirs: theirs, both: newInstallation(t, acme, globex), alone: newInstallation(t, mine)}
			for _, o := range operations(t) {
				if len(o.inPath) > 0 {
					p.askForPaths(t, o)
				} else {
					p.askForQueries(t, o)
				}
			}
			p.askTools(t)
			if p.asked < 500 {
				t.Errorf("only %d things were asked", p.asked)
			}
		})
	}
}

// askForPaths puts the other's ids into the path.
func (p *pair) askForPaths(t *testing.T, o operation) {
	t.Helper()
	for _, name := range o.inPath {
		theirs := of(p.theirs.values(), o.id, name)
		if len(theirs) == 0 {
			t.Errorf("%s takes %s in its path: add values for it to client.values", o.id, name)
		}
		for _, value := range theirs {
			path := strings.ReplaceAll(o.path, "{"+name+"}", value)
			p.wantFound(t, path)
			p.wantSame(t, path)
		}
		for _, value := range of(p.theirs.hidden(), o.id, name) {
			p.wantSame(t, strings.ReplaceAll(o.path, "{"+name+"}", value))
		}
	}
}

// askForQueries puts what is the other's into each parameter, into any two, and
// goes on with the other's cursors.
func (p *pair) askForQueries(t *testing.T, o operation) {
	t.Helper()
	var queries []string
	for _, name := range o.parameters {
		theirs := of(p.theirs.values(), o.id, name)
		if len(theirs) == 0 {
			t.Errorf("%s takes %s: add values for it to client.values", o.id, name)
		}
		for _, query := range theirs {
			query = o.complete(t, p.theirs, query)
			p.wantFound(t, o.path+"?"+query)
			if name == "starting_after" {
				first := query
				query += "&starting_after=" + p.theirCursor(t, o.path+"?"+first)
				p.wantNoCursor(t, o.path+"?"+query, o.path+"?"+first+"&starting_after=nonsense")
			}
			queries = append(queries, query)
		}
		for _, query := range of(p.theirs.hidden(), o.id, name) {
			queries = append(queries, o.complete(t, p.theirs, query))
		}
	}
	p.wantSame(t, o.path+"?"+o.complete(t, p.theirs, ""))
	for i, query := range queries {
		p.wantSame(t, o.path+"?"+query)
		for _, other := range queries[i+1:] {
			p.wantSame(t, o.path+"?"+merged(t, query, other))
		}
	}
}

// theirCursor is where the other's walk goes on.
func (p *pair) theirCursor(t *testing.T, path string) string {
	t.Helper()
	cursor := p.both.Get(t, path, p.both.keys[p.theirs.name].next()).List(t).NextCursor(t)
	if cursor == "" {
		t.Fatalf("%s: %s's walk has one page, so there is no cursor to try: give the client more rows", path, p.theirs.name)
	}
	return url.QueryEscape(cursor)
}

// wantNoCursor fails unless the other's cursor is to this client what nonsense is.
// Both installations have the secret that it was signed with, so comparing the two
// shows nothing.
func (p *pair) wantNoCursor(t *testing.T, theirs, nonsense string) {
	t.Helper()
	var answers [2]string
	for i, path := range []string{theirs, nonsense} {
		before := p.both.counter.read()
		answer := p.both.Get(t, path, p.both.keys[p.mine.name].next())
		answers[i] = seen(answer.WantStatus(t, 400), p.both.counter.read().since(before))
	}
	check.Equal(t, answers[0], answers[1], theirs, p.mine.name)
}

// wantFound fails when what is asked finds nothing even for whose it is: it would
// prove nothing then.
func (p *pair) wantFound(t *testing.T, path string) {
	t.Helper()
	answer := p.both.Get(t, path, p.both.keys[p.theirs.name].next())
	var body struct {
		Data json.RawMessage
		Meta struct{ Count int }
	}
	answer.Decode(t, &body)
	if answer.Status != 200 || body.Meta.Count == 0 {
		t.Errorf("%s finds nothing for %s, whose it is: status %d, %.300s", path, p.theirs.name, answer.Status, answer.Body)
	}
	check.Contains(t, string(answer.Body), p.theirs.id("client").String(), path, p.theirs.name)
}

func (p *pair) wantSame(t *testing.T, path string) {
	t.Helper()
	p.want(t, path, func(w *installation, key string) *apitest.Response { return w.Get(t, path, key) })
}

// want asks both installations, with the one client's keys, and compares.
func (p *pair) want(t *testing.T, what string, send func(*installation, string) *apitest.Response) {
	t.Helper()
	p.asked++
	ask := func(w *installation) (string, *apitest.Response) {
		key := w.keys[p.mine.name].next()
		before := w.counter.read()
		answer := send(w, key)
		return seen(answer, w.counter.read().since(before)), answer
	}
	day := time.Now().UTC().Day()
	with, answer := ask(p.both)
	without, _ := ask(p.alone)
	if with != without && day == time.Now().UTC().Day() { // default windows end today
		at := 0
		for at < min(len(with), len(without)) && with[at] == without[at] {
			at++
		}
		t.Errorf("%s, asked by %s:\nwith %s there:    …%.300s\nwith none there: …%.300s",
			what, p.mine.name, p.theirs.name, with[max(0, at-60):], without[max(0, at-60):])
	}
	for _, of := range []string{p.theirs.word(), p.theirs.id("client").String()} {
		if strings.Contains(string(answer.Body), of) && !strings.Contains(what, of) {
			t.Errorf("%s, asked by %s: the answer holds %s", what, p.mine.name, of)
		}
	}
}

// moments are what differs between two answers that are the same.
var moments = regexp.MustCompile(`(\\?"(?:measurement_as_of|as_of|live_as_of|preview_id)\\?": ?)\\?"[^"\\]*\\?"`)

// seen is all that can differ for a caller between two responses, but moments and names
// of requests, and what the answer cost the database.
func seen(a *apitest.Response, c cost) string {
	header := maps.Clone(a.Header)
	for name := range header {
		// A moment's length is not always the same; a long answer has none.
		if slices.Contains([]string{"Date", "X-Request-Id", "Content-Length"}, name) || strings.HasPrefix(name, "X-Ratelimit-") {
			delete(header, name)
		}
	}
	return fmt.Sprintf("%d, %d statements, %d rows, %v, %s", a.Status, c.statements, c.rows, header, moments.ReplaceAll(a.Body, []byte("$1 …")))
}

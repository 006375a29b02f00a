package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/verify"
)

// watch holds every answer of the run to what every answer promises. What it
// finds becomes one check a promise, when the run is over.
type watch struct {
	contract *contract
	seen     map[string]*tally
	// last is each key's answer before, for what its quota says.
	last map[*subject]*answer
	// fell counts by how much the quota fell between two answers of a key.
	fell map[*subject]*falls
}

// tally is one promise, held against so many answers.
type tally struct {
	held  int
	fault string
}

type falls struct{ one, more int }

func newWatch(c *contract) *watch {
	return &watch{contract: c, seen: map[string]*tally{}, last: map[*subject]*answer{}, fell: map[*subject]*falls{}}
}

func (w *watch) note(promise string, err error) {
	t := w.seen[promise]
	if t == nil {
		t = &tally{}
		w.seen[promise] = t
	}
	t.held++
	if err != nil && t.fault == "" {
		t.fault = err.Error()
	}
}

// look holds one answer.
func (w *watch) look(a *answer) {
	operation, err := w.contract.hold(context.Background(), a)
	inContract := !slices.Contains([]int{http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusInternalServerError}, a.status)
	if operation != "" && inContract {
		w.note("contract/"+operation, err)
	}
	w.note("answers/request_id", a.echoes())
	w.note("answers/no_server_error", a.noServerError())
	if a.status >= 400 {
		w.note("errors/envelope", a.isEnvelope())
	}
	if a.subject == nil {
		return
	}
	w.note("answers/not_cached", a.notCached())
	if a.status != http.StatusUnauthorized {
		w.note("limits/headers", a.quotaPlausible())
		w.compareQuota(a)
	}
	if operation != "" && a.status == http.StatusOK {
		w.note("measurement/"+operation, verified(a))
	}
}

func (a *answer) echoes() error {
	if got := a.header.Get("X-Request-Id"); got != a.requestID {
		return fmt.Errorf("%s does not give back the X-Request-Id that it was sent with", a)
	}
	return nil
}

func (a *answer) noServerError() error {
	if a.status >= 500 && a.status != http.StatusServiceUnavailable {
		return fmt.Errorf("%s answers %d (request id %s)", a, a.status, a.requestID)
	}
	return nil
}

func (a *answer) isEnvelope() error {
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	e := a.envelope()
	switch {
	case kind != "application/json":
		return fmt.Errorf("%s refuses with %d as %q, not application/json", a, a.status, kind)
	case e.Error == nil || *e.Error == "":
		return fmt.Errorf("%s refuses with %d and no error in its body", a, a.status)
	case e.Code == "":
		return fmt.Errorf("%s refuses with %d and no code in its body", a, a.status)
	}
	return nil
}

func (a *answer) notCached() error {
	if !strings.Contains(a.header.Get("Cache-Control"), "no-store") {
		return fmt.Errorf("%s may be cached: Cache-Control lacks no-store", a)
	}
	return nil
}

// quota is what the three headers say.
type quota struct{ limit, remaining, reset int }

func (a *answer) quota() (quota, error) {
	var q quota
	for name, into := range map[string]*int{
		"X-RateLimit-Limit": &q.limit, "X-RateLimit-Remaining": &q.remaining, "X-RateLimit-Reset": &q.reset,
	} {
		n, err := strconv.Atoi(a.header.Get(name))
		if err != nil {
			return q, fmt.Errorf("%s answers %d without a whole number in %s", a, a.status, name)
		}
		*into = n
	}
	return q, nil
}

// moment is the server's own, as far as it tells.
func (a *answer) moment() time.Time {
	if at, err := http.ParseTime(a.header.Get("Date")); err == nil {
		return at
	}
	return a.at
}

// clockSlack is what the clocks of a server and its database may be apart.
const clockSlack = 10

func (a *answer) quotaPlausible() error {
	if a.status == http.StatusServiceUnavailable {
		return nil // the quota itself may be out of reach
	}
	q, err := a.quota()
	if err != nil {
		return err
	}
	now := int(a.moment().Unix())
	switch {
	case q.limit != 600:
		return fmt.Errorf("%s: X-RateLimit-Limit is %d, not 600", a, q.limit)
	case q.remaining < 0 || q.remaining > q.limit:
		return fmt.Errorf("%s: X-RateLimit-Remaining is %d of %d", a, q.remaining, q.limit)
	case q.remaining == 0 && a.status != http.StatusTooManyRequests:
		return fmt.Errorf("%s is admitted with X-RateLimit-Remaining 0", a)
	case q.reset < now-clockSlack || q.reset > now+3600+clockSlack:
		return fmt.Errorf("%s: X-RateLimit-Reset is %d seconds away, not within the coming hour", a, q.reset-now)
	}
	return nil
}

// compareQuota notes by how much the quota fell since the key's answer before.
// It may fall by less than one only where an hour-old request aged out.
func (w *watch) compareQuota(a *answer) {
	before := w.last[a.subject]
	w.last[a.subject] = a
	if before == nil || before.status == http.StatusTooManyRequests {
		return
	}
	was, err := before.quota()
	if err != nil {
		return
	}
	is, err := a.quota()
	if err != nil {
		return
	}
	fell := was.remaining - is.remaining
	f := w.fell[a.subject]
	if f == nil {
		f = &falls{}
		w.fell[a.subject] = f
	}
	freed := int(a.moment().Unix())+clockSlack >= was.reset
	const promise = "limits/falls_by_one"
	switch {
	case fell < 1 && !freed:
		w.note(promise, fmt.Errorf("X-RateLimit-Remaining goes from %d to %d between %s and %s, and nothing aged out", was.remaining, is.remaining, before, a))
	case fell == 1:
		f.one++
		w.note(promise, nil)
	case fell > 1:
		f.more++
	}
}

// verified recomputes what an answer states of itself.
func verified(a *answer) error {
	if strings.HasSuffix(a.path, "/openapi.json") {
		return nil
	}
	return recompute([]*answer{a}, "response")
}

// recompute verifies answers together; of says whether what they are alone or
// as one walk is looked at.
func recompute(answers []*answer, of string) error {
	var input strings.Builder
	for _, a := range answers {
		request, err := json.Marshal(a.path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&input, `{"request": %s, "response": %s}`+"\n", request, a.body)
	}
	var fault error
	_, err := verify.Verify(strings.NewReader(input.String()), verify.Options{}, func(r *verify.Report) error {
		for _, c := range r.Checks {
			if r.Of == of && c.Outcome == verify.Fails && fault == nil {
				fault = fmt.Errorf("%s: %s does not hold: %s", answers[r.Responses[0]-1], c.Name, c.Detail)
			}
		}
		return nil
	})
	return errors.Join(fault, err)
}

// tellWatched reports what held of every answer.
func (r *run) tellWatched() {
	for s, f := range r.watch.fell {
		if f.more > f.one {
			r.watch.note("limits/falls_by_one", fmt.Errorf(
				"X-RateLimit-Remaining of %s mostly falls by more than one a request: is somebody else using the key?", s.label))
		}
	}
	names := make([]string, 0, len(r.watch.seen))
	for name := range r.watch.seen {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t := r.watch.seen[name]
		c := Check{Name: name, Outcome: Passed, Detail: fmt.Sprintf("%d answers", t.held)}
		if t.fault != "" {
			c.Outcome, c.Detail = Failed, t.fault
		}
		r.tell(c)
	}
}

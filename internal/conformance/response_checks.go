package conformance

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/verify"
)

// promiseResult is how many responses a promise was checked on, and the first failure.
type promiseResult struct {
	responses int
	failure   string
}

func (r *run) record(promise string, err error) {
	t := r.promises[promise]
	t.responses++
	if err != nil && t.failure == "" {
		t.failure = err.Error()
	}
	r.promises[promise] = t
}

// holds records whether a response keeps a promise; the failure is used when it does not.
func (r *run) holds(promise string, holds bool, failure string, args ...any) {
	var err error
	if !holds {
		err = fmt.Errorf(failure, args...)
	}
	r.record(promise, err)
}

// checkResponse checks one response against the promises that hold for all of them.
// At the end of the run each promise becomes one check.
func (r *run) checkResponse(res *response) {
	operation, err := r.validate(context.Background(), res)
	inContract := !slices.Contains([]int{http.StatusMethodNotAllowed, http.StatusRequestEntityTooLarge, http.StatusInternalServerError}, res.status)
	if operation != "" && inContract {
		r.record("contract/"+operation, err)
	}
	r.holds("answers/request_id", res.header.Get("X-Request-Id") == res.requestID,
		"%s does not give back the X-Request-Id that it was sent with", res)
	r.holds("answers/no_server_error", res.status < 500 || res.status == http.StatusServiceUnavailable,
		"%s answers %d (request id %s)", res, res.status, res.requestID)
	if res.status >= 400 {
		r.record("errors/envelope", res.checkErrorEnvelope())
	}
	if res.key == nil {
		return
	}
	r.holds("answers/not_cached", strings.Contains(res.header.Get("Cache-Control"), "no-store"),
		"%s may be cached: Cache-Control lacks no-store", res)
	if res.status != http.StatusUnauthorized {
		r.record("limits/headers", res.checkQuota())
		r.compareQuota(res)
	}
	if operation != "" && res.status == http.StatusOK {
		r.record("measurement/"+operation, res.checkNumbers())
	}
}

func (res *response) checkErrorEnvelope() error {
	kind, _, _ := strings.Cut(res.header.Get("Content-Type"), ";")
	e := res.envelope
	switch {
	case kind != "application/json":
		return fmt.Errorf("%s refuses with %d as %q, not application/json", res, res.status, kind)
	case e.Error == nil || *e.Error == "":
		return fmt.Errorf("%s refuses with %d and no error in its body", res, res.status)
	case res.code() == "":
		return fmt.Errorf("%s refuses with %d and no code in its body", res, res.status)
	}
	return nil
}

// quota is the values of the three rate limit headers.
type quota struct{ limit, remaining, reset int }

func (res *response) quota() (quota, error) {
	var q quota
	for name, into := range map[string]*int{
		"X-RateLimit-Limit": &q.limit, "X-RateLimit-Remaining": &q.remaining, "X-RateLimit-Reset": &q.reset,
	} {
		n, err := strconv.Atoi(res.header.Get(name))
		if err != nil {
			return q, fmt.Errorf("%s answers %d without a whole number in %s", res, res.status, name)
		}
		*into = n
	}
	return q, nil
}

// moment is the Date header, or else the time at which the response came.
func (res *response) moment() time.Time {
	if at, err := http.ParseTime(res.header.Get("Date")); err == nil {
		return at
	}
	return res.at
}

// clockSlack is how many seconds the clocks of a server and its database may differ.
const clockSlack = 10

func (res *response) checkQuota() error {
	if res.status == http.StatusServiceUnavailable {
		return nil // the limiter may be unavailable
	}
	q, err := res.quota()
	if err != nil {
		return err
	}
	now := int(res.moment().Unix())
	switch {
	case q.limit != 600:
		return fmt.Errorf("%s: X-RateLimit-Limit is %d, not 600", res, q.limit)
	case q.remaining < 0 || q.remaining > q.limit:
		return fmt.Errorf("%s: X-RateLimit-Remaining is %d of %d", res, q.remaining, q.limit)
	case q.remaining == 0 && res.status != http.StatusTooManyRequests:
		return fmt.Errorf("%s is admitted with X-RateLimit-Remaining 0", res)
	case q.reset < now-clockSlack || q.reset > now+3600+clockSlack:
		return fmt.Errorf("%s: X-RateLimit-Reset is %d seconds away, not within the coming hour", res, q.reset-now)
	}
	return nil
}

// compareQuota counts by how much the quota fell since the key's last response.
// It falls by less than one only when an earlier request became an hour old.
func (r *run) compareQuota(res *response) {
	before := res.key.last
	res.key.last = res
	if before == nil || before.status == http.StatusTooManyRequests {
		return
	}
	was, errBefore := before.quota()
	is, errNow := res.quota()
	if errBefore != nil || errNow != nil {
		return
	}
	drop := was.remaining - is.remaining
	freed := int(res.moment().Unix())+clockSlack >= was.reset
	const promise = "limits/falls_by_one"
	switch {
	case drop < 1 && !freed:
		r.holds(promise, false, "X-RateLimit-Remaining goes from %d to %d between %s and %s, and nothing aged out", was.remaining, is.remaining, before, res)
	case drop == 1:
		res.key.dropsByOne++
		r.record(promise, nil)
	case drop > 1:
		res.key.largerDrops++
	}
}

// checkNumbers recomputes the hashes, counts and order of a response.
func (res *response) checkNumbers() error {
	decoded, err := res.decode()
	if err != nil {
		return err
	}
	report, err := decoded.Check()
	return failureOf(res, report, err)
}

// failureOf is the first check of verify's report that fails.
func failureOf(res *response, report *verify.Report, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", res, err)
	}
	if report == nil {
		return nil
	}
	for _, c := range report.Checks {
		if c.Outcome == verify.Failed {
			return fmt.Errorf("%s: %s does not hold: %s", res, c.Name, c.Detail)
		}
	}
	return nil
}

// reportResponseChecks reports the promises that were checked on every response.
func (r *run) reportResponseChecks() {
	for _, key := range r.keys {
		if key.largerDrops > key.dropsByOne {
			r.holds("limits/falls_by_one", false,
				"X-RateLimit-Remaining of %s mostly falls by more than one a request: is somebody else using the key?", key.label)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.promises)) {
		t := r.promises[name]
		c := Check{Name: name, Outcome: verify.Passed, Detail: fmt.Sprintf("%d answers", t.responses)}
		if t.failure != "" {
			c.Outcome, c.Detail = verify.Failed, t.failure
		}
		r.show(c)
	}
}

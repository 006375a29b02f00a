package conformance

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/verify"
	"github.com/clientintel/clientintel/openapi"
)

// promiseResult is how many responses a promise was checked on, and the first failure.
type promiseResult struct {
	responses int
	failure   error
}

func (r *run) record(promise string, err error) {
	t := r.promises[promise]
	t.responses++
	if t.failure == nil {
		t.failure = err
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

// reportPromises reports the promises that were checked on every response.
func (r *run) reportPromises() {
	for _, name := range slices.Sorted(maps.Keys(r.promises)) {
		t := r.promises[name]
		r.show(name, nil, fmt.Sprintf("%d answers", t.responses), t.failure)
	}
}

// checkResponse checks one response against the promises that hold for all of them.
// At the end of the run each promise becomes one check.
func (r *run) checkResponse(ctx context.Context, res *response) {
	r.holds("answers/request_id", res.header.Get("X-Request-Id") == res.requestID,
		"%s does not give back the X-Request-Id that it was sent with", res)
	operation, err := r.validate(ctx, res)
	if operation != "" {
		r.record("contract/"+operation, err)
	}
	if res.key == nil {
		return
	}
	r.holds("answers/not_cached", strings.Contains(res.header.Get("Cache-Control"), "no-store"),
		"%s may be cached: Cache-Control lacks no-store", res)
	if res.status != http.StatusUnauthorized {
		r.checkQuota(res)
	}
	if operation != "" && res.status == http.StatusOK {
		r.record("verify/"+operation, r.checkAnswer(res, operation))
	}
}

// validate checks a response against the contract and returns the operation's id,
// which is empty when the contract has no operation for the request.
func (r *run) validate(ctx context.Context, res *response) (string, error) {
	req, err := http.NewRequestWithContext(ctx, res.method, res.path, http.NoBody)
	if err != nil {
		return "", err
	}
	route, params, err := r.router.FindRoute(req)
	if err != nil {
		return "", nil //nolint:nilerr // no operation: its errors are checked where the request is made
	}
	name := route.Operation.OperationID
	if route.Operation.Responses.Status(res.status) == nil {
		return name, fmt.Errorf("%s answers %d, which the contract does not know", res, res.status)
	}
	options := &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
		// Details would include values: the client's data.
		SchemaValidationOptions: []openapi3.SchemaValidationOption{openapi3.DisableSchemaErrorDetails()},
	}
	in := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: req, PathParams: params, Route: route, Options: options,
		},
		Status: res.status, Header: res.header, Options: options,
	}
	if err := openapi3filter.ValidateResponse(ctx, in.SetBodyBytes(res.body)); err != nil {
		return name, fmt.Errorf("%s answers %d and breaks the contract: %s", res, res.status, openapi.BrokenAt(err))
	}
	return name, nil
}

// checkAnswer recomputes what a 200 states, as verify does, and compares it with what
// the key's other answers showed.
func (r *run) checkAnswer(res *response, operation string) error {
	answer, err := res.decode()
	if err != nil {
		return err
	}
	if err := answer.Check().Err(); err != nil {
		return fmt.Errorf("%s: %w", res, err)
	}
	if res.key.client == "" {
		res.key.client = answer.Meta.ClientID
	}
	if answer.Meta.ClientID != res.key.client {
		return fmt.Errorf("%s shows client %s, another answer to this key %s", res, answer.Meta.ClientID, res.key.client)
	}
	return r.checkFields(res, answer, operation)
}

// rowSchemas are the contract's schemas of an operation's rows. It proves by itself that
// hits are complete and have no other field.
var rowSchemas = map[string]string{
	"listInterviews": "Interview", "getInterview": "Interview", "listCampaigns": "Campaign", "listSynthesis": "SynthesisDocumentRow",
}

// checkFields learns the key's scopes from an interview's meta, and fails unless rows
// have exactly the schema's fields without those of other scopes: a missing one breaks
// the contract, an additional one may disclose data.
func (r *run) checkFields(res *response, answer *verify.Response, operation string) error {
	schema, m := rowSchemas[operation], answer.Meta
	if schema == "" || m.Type != "" { // portal bodies are the client's own
		return nil
	}
	if schema == "Interview" {
		shown := map[auth.Scope]bool{
			auth.ReadTranscripts: m.Transcripts, auth.ReadCustomerIdentity: m.Identity, auth.ReadCustomExtraction: m.CustomExtraction,
		}
		if operation == "getInterview" || m.RawExtraction { // lists never show it
			shown[auth.ReadRawExtraction] = m.RawExtraction
		}
		for scope, has := range shown {
			if err := res.key.setScope(scope, has, res); err != nil {
				return err
			}
		}
	}
	hidden := map[string]bool{
		"transcript": !m.Transcripts, "participant_email": !m.Identity, "custom_extraction": !m.CustomExtraction, "raw_extraction": !m.RawExtraction,
	}
	properties := r.contract.Components.Schemas[schema].Value.Properties
	for _, row := range answer.Rows {
		if schema == "Interview" {
			res.key.interview = row.Text("id")
		}
		for name := range row {
			if properties[name] == nil || hidden[name] {
				return fmt.Errorf("%s: %s has the field %q, which this key must not see here", res, row.Text("id"), name)
			}
		}
		for name := range properties {
			if row[name] == nil && !hidden[name] {
				return fmt.Errorf("%s: %s lacks the field %q", res, row.Text("id"), name)
			}
		}
	}
	return nil
}

// clockSlack is how many seconds the clocks of a server and its database may differ.
const clockSlack = 10

// quota is the values of the three rate limit headers, and the second they were read.
type quota struct{ limit, remaining, reset, at int }

func (res *response) quota() quota {
	number := func(header string) int {
		n, _ := strconv.Atoi(res.header.Get(header)) // 0 is plausible in none of them
		return n
	}
	at, _ := http.ParseTime(res.header.Get("Date"))
	return quota{number("X-RateLimit-Limit"), number("X-RateLimit-Remaining"), number("X-RateLimit-Reset"), int(at.Unix())}
}

// checkQuota checks the three headers, and that the quota fell by one since the key's
// last response. It falls by less only when an earlier request became an hour old.
func (r *run) checkQuota(res *response) {
	before := res.key.last
	res.key.last = nil
	if res.status == http.StatusServiceUnavailable {
		return // the limiter may be unavailable
	}
	q := res.quota()
	plausible := q.limit == 600 && q.remaining <= q.limit &&
		(q.remaining > 0) == (res.status != http.StatusTooManyRequests) &&
		q.reset >= q.at-clockSlack && q.reset <= q.at+3600+clockSlack
	r.holds("limits/headers", plausible, "%s answers %d with X-RateLimit-Limit %d, Remaining %d, Reset in %d seconds",
		res, res.status, q.limit, q.remaining, q.reset-q.at)
	if !plausible || res.status == http.StatusTooManyRequests {
		return
	}
	res.key.last = &q
	if before != nil {
		fall, agedOut := before.remaining-q.remaining, q.at+clockSlack >= before.reset
		r.holds("limits/falls_by_one", fall == 1 || fall < 1 && agedOut,
			"X-RateLimit-Remaining of %s goes from %d to %d with %s: is somebody else using the key?", res.key.label, before.remaining, q.remaining, res)
	}
}

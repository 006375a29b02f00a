package mcp_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
)

// Whatever the body of a message, in every revision of the protocol: the answer
// is one JSON value, never a failure of ours, and what a tool answers is the
// contract's envelope, whole or as a refusal.
func FuzzBody(f *testing.F) {
	srv, seed := apitest.Start(f)
	seed.Interview(f, "globex", nil)
	seed.SynthesisDocument(f, "globex", nil)
	for _, arguments := range []string{
		`{}`, `{"limit":1}`, `{"limit":1.0}`, `{"limit":1e2}`, `{"limit":null}`, `{"limit":99999999999999999999}`, `{"status":"\u0000"}`, `{"status":"\ud800"}`,
		`{"date_from":"0001-01-01","date_to":"9999-12-31"}`, `{"q":"late","limit":2}`, `{"surface":"portal","type":"daily_feed","day":"2026-03-01"}`, `{"starting_after":"AQE"}`,
		`{"a":1,"a":2}`, `[]`, `null`, `{"q":{"q":1}}`,
	} {
		for i, tool := range []string{"list_interviews", "list_campaigns", "get_synthesis_document", "get_interview_analytics", "search_customer_intelligence"} {
			revision := (i + len(arguments)) % len(revisions)
			f.Add(uint8(revision), message(revisions[revision], "tools/call", `{"name":"`+tool+`","arguments":`+arguments+`}`))
		}
	}
	for i, revision := range revisions {
		for _, method := range []string{"initialize", "ping", "tools/list", "tools/call", "resources/read", "prompts/get", "completion/complete", "logging/setLevel", "notifications/cancelled", "server/discover", ""} {
			f.Add(uint8(i), message(revision, method, ""))
		}
		for _, body := range []string{
			"", "[]", "null", `{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","method":"tools/call"}`,
			`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}`, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}`,
			`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":7}}`,
		} {
			f.Add(uint8(i), body)
		}
	}
	var key apikey.Issued
	spent := 0
	f.Fuzz(func(t *testing.T, i uint8, body string) {
		if spent%500 == 0 {
			key = srv.Issue(t, apikey.Request{Client: "globex", Name: "a fuzzer", Scopes: auth.All()})
		}
		spent++
		answer := srv.Post(t, endpoint, key.Key, formOf(revisions[int(i)%len(revisions)], body), strings.NewReader(body))
		switch answer.Status {
		case http.StatusAccepted:
			if len(answer.Body) != 0 {
				t.Fatalf("%q is accepted with %s", body, answer.Body)
			}
		case http.StatusOK:
			holdReply(t, body, answer.Body)
		case http.StatusBadRequest, http.StatusNotFound:
			if !json.Valid(answer.Body) || answer.Header.Get("Content-Type") != "application/json" {
				t.Fatalf("%q is refused with %d %s", body, answer.Status, answer.Body)
			}
		default:
			t.Fatalf("%q: status %d, %s", body, answer.Status, answer.Body)
		}
	})
}

// formOf are the headers that go with a body: they name the method and the tool
// that it names itself, as far as a header can.
func formOf(revision, body string) http.Header {
	var m struct {
		Method string
		Params struct{ Name string }
	}
	_ = json.Unmarshal([]byte(body), &m) // what is no message names neither
	for _, text := range []*string{&m.Method, &m.Params.Name} {
		if strings.ContainsFunc(*text, func(r rune) bool { return r < ' ' || r > '~' }) {
			*text = "x"
		}
	}
	return form(revision, m.Method, m.Params.Name)
}

// holdReply holds a JSON-RPC answer against what a caller relies on.
func holdReply(t *testing.T, body string, answer []byte) {
	t.Helper()
	var s struct {
		said
		JSONRPC string
	}
	if err := json.Unmarshal(answer, &s); err != nil || s.JSONRPC != "2.0" || (s.Result == nil) == (s.Error == nil) {
		t.Fatalf("%q is answered with %s (%v)", body, answer, err)
	}
	if s.Error != nil {
		if s.Error.Code == -32603 || s.Error.Message == "" { // an internal error
			t.Fatalf("%q fails with %s", body, answer)
		}
		return
	}
	var r result
	if err := json.Unmarshal(s.Result, &r); err != nil || len(r.Content) == 0 {
		return // no tool's
	}
	var envelope struct {
		Data, Meta           json.RawMessage
		Error, Details, Code string
	}
	if err := json.Unmarshal([]byte(r.Content[0].Text), &envelope); err != nil {
		t.Fatalf("%q: the text %q is no envelope: %v", body, r.Content[0].Text, err)
	}
	switch {
	case !r.IsError:
		if envelope.Data == nil || envelope.Meta == nil || string(r.StructuredContent) != r.Content[0].Text {
			t.Fatalf("%q is answered with %s", body, answer)
		}
	case r.StructuredContent != nil || envelope.Error == "" || slices.Contains([]string{"", "internal_error", "service_unavailable"}, envelope.Code):
		t.Fatalf("%q is refused with %s", body, answer)
	case envelope.Code != "insufficient_scope" && envelope.Details == "":
		t.Fatalf("%q is refused without a reason: %s", body, answer)
	}
}

package importer

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

const (
	acme   = "aaaaaaaa-0000-4000-8000-000000000001"
	globex = "bbbbbbbb-0000-4000-8000-000000000001"
)

// parseOnly reads a file as an import does, short of the database.
func parseOnly(file string) error {
	d := newDecoder(context.Background(), Options{}, sourcesOf(strings.NewReader(file)))
	for d.Next() {
	}
	return d.Err()
}

// The lines below are whole but for the fields that a test adds.

func interview(fields string) string {
	return `{"kind":"interview","id":"11111111-0000-4000-8000-000000000001","client_id":"` + acme +
		`","status":"completed","quality":"passed","created_at":"2026-03-01T09:30:00Z"` + fields + `}`
}

func campaign(fields string) string {
	return `{"kind":"campaign","id":"22222222-0000-4000-8000-000000000001","client_id":"` + acme + `"` + fields + `}`
}

func portal(fields string) string {
	return `{"kind":"portal_document","id":"33333333-0000-4000-8000-000000000001","client_id":"` + acme +
		`","type":"home","status":"published"` + fields + `}`
}

func snapshot(fields string) string {
	return `{"kind":"measurement_snapshot","snapshot_id":"44444444-0000-4000-8000-000000000001","client_id":"` + acme +
		`","as_of":"2026-03-01T09:30:00Z","measurement_contract_version":"canonical_measurement.v1"` + fields + `}`
}

func client(fields string) string {
	return `{"kind":"client","id":"` + acme + `","slug":"acme","name":"Acme"` + fields + `}`
}

const tooManyDigits = "must not hold a number of more than 400 digits, counted as it is written without an exponent"

// Operators correct a file by these words.
func TestBadLines_AreRefusedWithLineAndField(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("0123456789abcdef", 4)
	for _, c := range []struct{ name, line, want string }{
		// the line
		{"bare scalar", `42`, `line 1: must be a JSON object, not a number`},
		{"trailing object", client("") + `{}`, `line 1: is not valid JSON: something follows the object`},
		{"cut off", `{"kind":"client"`, `line 1: is not valid JSON: unexpected EOF at byte 17`},
		{"raw control character", "{\"kind\":\"a\tb\"}", `line 1: kind: is not valid JSON: invalid character '\t' in string (expecting non-control character) at byte 11`},
		{"too deep", interview(`,"custom_extraction":` + strings.Repeat(`{"a":`, 256) + `1` + strings.Repeat(`}`, 256)),
			`line 1: is not valid JSON: it nests deeper than 256 levels at byte 1488`},
		{"too long", `{"kind":"` + strings.Repeat("x", maxLine), `line 1: must not be longer than 16 MiB and 64 KiB`},

		// kind and op
		{"no kind", `{"id":"x"}`, `line 1: kind: is missing: must be client, campaign, lane, interview, synthesis_document, portal_document or measurement_snapshot`},
		{"unknown kind", `{"kind":"segment"}`, `line 1: kind: must be client, campaign, lane, interview, synthesis_document, portal_document or measurement_snapshot, not "segment"`},
		{"two kinds", `{"kind":"client","kind":"client"}`, `line 1: client.kind: is not valid JSON: duplicate object member name at byte 18`},
		{"unknown op", client(`,"op":"upsert"`), `line 1: op: must be "delete" or left out, not "upsert"`},

		// fields
		{"unknown field", `{"kind":"lane","id":"` + acme + `","colour":"red"}`,
			`line 1: lane.colour: is not a field of a lane, which has client_id, id, slug, display_name and visible`},
		{"unknown field, hostile", `{"kind":"lane","\u001b[31m":1}`,
			"line 1: lane.\\x1b[31m: is not a field of a lane, which has client_id, id, slug, display_name and visible"},
		{"field twice", interview(`,"status":"analyzed"`), `line 1: interview.status: is not valid JSON: duplicate object member name at byte 192`},
		{"missing", `{"kind":"interview","id":"` + acme + `","client_id":"` + acme + `"}`,
			`line 1: interview.created_at: is missing: must be an RFC 3339 date-time such as 2026-03-01T09:30:00Z`},

		// strings
		{"a number for a string", interview(`,"best_quote":7`), `line 1: interview.best_quote: must be a string or null, not a number`},
		{"empty slug", campaign(`,"slug":""`), `line 1: campaign.slug: must be a string of 1 to 200 characters, not ""`},
		{"long slug", campaign(`,"slug":"` + strings.Repeat("é", 201) + `"`),
			`line 1: campaign.slug: must be a string of 1 to 200 characters, not "` + strings.Repeat("é", 40) + `…"`},
		{"NUL", interview(`,"best_quote":"a\u0000b"`), `line 1: interview.best_quote: must not hold the NUL character (\u0000)`},
		{"NUL deep in JSON", interview(`,"custom_extraction":{"a":[{"b":"\u0000"}]}`), `line 1: interview.custom_extraction: must not hold the NUL character (\u0000)`},
		{"lone surrogate", interview(`,"best_quote":"\ud83d"`), `line 1: interview.best_quote: is not valid JSON: invalid surrogate pair at byte 206`},
		{"bad UTF-8", interview(`,"best_quote":"caf` + "\xe9" + `"`), `line 1: interview.best_quote: is not valid JSON: invalid UTF-8 at byte 209`},

		// numbers, booleans
		{"a string for a number", interview(`,"nps_score":"9"`), `line 1: interview.nps_score: must be a number or null, not "9"`},
		{"beyond a double", interview(`,"duration_seconds":1e309`), `line 1: interview.duration_seconds: must be a number within ±1.7976931348623157e308 or null, not 1e309`},
		{"401 digits", interview(`,"raw_extraction":{"n":1e400}`), `line 1: interview.raw_extraction: ` + tooManyDigits},
		{"401 digits, written out", portal(`,"body":{"n":` + strings.Repeat("1", 401) + `}`), `line 1: portal_document.body: ` + tooManyDigits},
		{"a string for a boolean", interview(`,"is_test":"no"`), `line 1: interview.is_test: must be true or false, not "no"`},
		{"negative count", snapshot(`,"scope_hash":"` + hash + `","membership_hash":"` + hash + `","source_interview_ids":[],"source_count":-1`),
			`line 1: measurement_snapshot.source_count: must be a whole number from 0 up, not -1`},

		// ids, words
		{"UUID without dashes", interview(`,"conversation_goal_id":"aaaaaaaa000040008000000000000001"`),
			`line 1: interview.conversation_goal_id: must be a UUID of 36 characters or null, not "aaaaaaaa000040008000000000000001"`},
		{"quality", strings.Replace(interview(""), `"passed"`, `"good"`, 1), `line 1: interview.quality: must be passed, failed or pending, not "good"`},
		{"mode", client(`,"measurement_mode":"new"`), `line 1: client.measurement_mode: must be legacy or canonical, not "new"`},
		{"canonical without a version", client(`,"measurement_mode":"canonical"`),
			`line 1: client.measurement_contract_version: must be a string that is not empty when measurement_mode is canonical, such as canonical_measurement.v1`},
		{"upper-case hash", snapshot(`,"scope_hash":"` + strings.ToUpper(hash) + `","membership_hash":"` + hash + `","source_interview_ids":[],"source_count":0`),
			`line 1: measurement_snapshot.scope_hash: must be 64 lower-case hexadecimal digits, not "0123456789ABCDEF0123456789ABCDEF01234567…"`},
		{"source id", snapshot(`,"scope_hash":"` + hash + `","membership_hash":"` + hash + `","source_interview_ids":["` + acme + `","x"],"source_count":0`),
			`line 1: measurement_snapshot.source_interview_ids[1]: must be a UUID of 36 characters, not "x"`},

		// free-form JSON
		{"transcript is no list", interview(`,"transcript":{}`), `line 1: interview.transcript: must be a list of objects or null, not an object`},
		{"extraction is no object", interview(`,"custom_extraction":[]`), `line 1: interview.custom_extraction: must be an object or null, not a list`},
		{"body is no object", portal(`,"body":"<p>"`), `line 1: portal_document.body: must be an object, not a string`},
		{"body that states its own integrity", portal(`,"body":{"a":1,"measurement_integrity":null}`), `line 1: portal_document.body: must not carry measurement_integrity: the server adds it`},
		{"the same, disguised", portal(`,"body":{"measurement\u005fintegrity":{}}`), `line 1: portal_document.body: must not carry measurement_integrity: the server adds it`},
		{"body that looks like a row", portal(`,"body":{"contract_version":"1","synthesis_type":"home","document":{}}`),
			`line 1: portal_document.body: must not carry synthesis_type, document and contract_version together: it would pass for a row of the collection`},
		{"body without schema", portal(`,"body":{"Schema":"home.v1"}`), `line 1: portal_document.body.schema: must be a string that is not empty`},
		{"questions are no list", campaign(`,"slug":"x","key_questions":"why?"`),
			`line 1: campaign.key_questions: must be a list of objects with id and question, a list of strings or null, not a string`},
		{"question without id", campaign(`,"slug":"x","key_questions":[{"id":"q1","question":"Why?"},{"question":"How?"}]`),
			`line 1: campaign.key_questions[1].id: must be a string that is not empty`},
		{"mixed questions", campaign(`,"slug":"x","key_questions":["Why?",{"id":"q1","question":"How?"}]`),
			`line 1: campaign.key_questions[1]: must be an object with id and question, or a string, as all in the list, not an object`},

		// deletes
		{"delete without id", `{"op":"delete","kind":"lane","client_id":"` + acme + `"}`, `line 1: lane.id: is missing: must be a UUID of 36 characters`},
		{"delete with a record", `{"op":"delete","kind":"lane","id":"` + acme + `","slug":"x"}`, `line 1: lane.slug: is not a field of a delete, which has client_id and id`},
		{"delete of a client for another", `{"op":"delete","kind":"client","id":"` + acme + `","client_id":"` + globex + `"}`,
			`line 1: client.client_id: must be the client's own id or left out`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := parseOnly(c.line)
			if err == nil {
				t.Fatalf("imported, want %s", c.want)
			}
			if lines, ok := errors.AsType[LineErrors](err); !ok || len(lines) != 1 {
				t.Errorf("got a %T, want LineErrors", err)
			}
			check.Equal(t, withoutRecord(err), c.want)
		})
	}
}

// Whatever is wrong with a line, its error names the record, if the line does.
func TestBadLines_NameTheirRecord(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		interview(`,"nps_score":"9"`):         "interview 11111111-0000-4000-8000-000000000001 of client " + acme + ": line 1: interview.nps_score: must be a number or null, not \"9\"",
		client(`,"x":1`):                      "client " + acme + ": line 1: client.x: is not a field of a client, which has id, slug, name, measurement_mode, measurement_contract_version and allowed_scopes",
		snapshot(`,"as_of":1`):                "measurement_snapshot 44444444-0000-4000-8000-000000000001 of client " + acme + ": line 1: measurement_snapshot.as_of: is not valid JSON: duplicate object member name at byte 225",
		`{"kind":"lane","id":"` + acme + `"}`: "lane " + acme + ": line 1: lane.client_id: is missing: must be a UUID of 36 characters",
	} {
		if err := parseOnly(line); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestInvalidTimestampsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"2026-03-01", "2026-03-01T09:30:00", "2026-03-01 09:30:00Z", "2026-03-01T09:30Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
		"2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "0000-01-01T00:00:00Z",
		"10000-01-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z", "2026-06-30T23:59:60Z", "2026-01-01T00:00:00.Z",
		"2026-01-01T00:00:00.1234567890Z", "2026-01-01T00:00:00+0100",
		"2026-01-01T00:00:00Z ", "+026-01-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.5",
		"0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59.999999-00:01", "",
	} {
		line := strings.Replace(interview(""), "2026-03-01T09:30:00Z", text, 1)
		err := parseOnly(line)
		wantErr := `line 1: interview.created_at: must be an RFC 3339 date-time such as 2026-03-01T09:30:00Z, not "` + text + `"`
		if err == nil || withoutRecord(err) != wantErr {
			t.Errorf("%q: got %v\nwant %s", text, err, wantErr)
		}
	}
	for _, text := range []string{"2026-3-1", "2026-02-30", "2026-03-01T00:00:00Z", "20260301", "0000-01-01", ""} {
		err := parseOnly(portal(`,"body":{"schema":"home.v1"},"feed_date":"` + text + `"`))
		want := `line 1: portal_document.feed_date: must be a date such as 2026-03-01 or null, not "` + text + `"`
		if err == nil || withoutRecord(err) != want {
			t.Errorf("%q: got %v\nwant %s", text, err, want)
		}
	}
}

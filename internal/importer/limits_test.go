package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

// Each limit of the page's table, from both sides: the last line that is accepted
// and the first that is not.
func TestLimits_AreEnforced(t *testing.T) {
	t.Parallel()
	// A line with so many bytes in small values, and one value of so many.
	padded := func(blanks, quote int) string {
		return interview(strings.Repeat(" ", blanks) + `,"best_quote":"` + strings.Repeat("x", quote) + `"`)
	}
	blanks := maxLine - maxValues - len(padded(0, 0))
	slug := func(text string) string {
		return `{"kind":"lane","client_id":"` + acme + `","id":"` + retention + `","slug":"` + text + `","visible":true}`
	}
	version := func(n int) string {
		return client(`,"measurement_contract_version":"` + strings.Repeat("x", n) + `"`)
	}
	created := func(at string) string { return strings.Replace(interview(""), "2026-03-01T09:30:00Z", at, 1) }
	counted := func(n string) string {
		return strings.Replace(everything[len(everything)-1], `"source_count":7`, `"source_count":`+n, 1)
	}
	nested := func(n int) string { // the line is the first level
		return interview(`,"custom_extraction":{"a":` + strings.Repeat("[", n-2) + strings.Repeat("]", n-2) + `}`)
	}
	// Each of these has 400 digits when it is written out.
	expanding := func(n int) string {
		return interview(`,"custom_extraction":{"a":[` + strings.TrimSuffix(strings.Repeat("1e399,", n), ",") + `]}`)
	}
	page := importPage(t)
	for _, c := range []struct {
		row, accepted, refused, reason string
	}{
		{"| a line | 16 MiB and 64 KiB |", padded(blanks, maxValues), padded(blanks+1, maxValues), lineTooLong},
		{"| its values of more than 2 KiB, together, numbers written without exponents | 16 MiB |", padded(0, maxValues), padded(0, maxValues+1), unstorableLength},
		{"| its values of more than 2 KiB, together, numbers written without exponents | 16 MiB |", expanding(41_800), expanding(41_850), unstorableLength},
		{"| levels of lists and objects in a line | 256 |", nested(maxDepth), nested(maxDepth + 1), ""},
		{"| digits of a number, written without an exponent | 400 |", interview(`,"custom_extraction":{"a":1e399}`), interview(`,"custom_extraction":{"a":1e400}`), unstorableNumber},
		{"| `duration_seconds`, `nps_score` | ±1.7976931348623157e308 |", interview(`,"nps_score":1.7976931348623157e308`), interview(`,"nps_score":1.7976931348623159e308`), "must be a number within ±1.7976931348623157e308 or null, not 1.7976931348623159e308"},
		{"| `source_count` | 9223372036854775807 |", counted("9223372036854775807"), counted("9223372036854775808"), "must be a whole number from 0 up"},
		{"| a slug, a client's `measurement_contract_version` | 200 characters |", slug(strings.Repeat("я", 200)), slug(strings.Repeat("я", 201)), ""},
		{"| a slug, a client's `measurement_contract_version` | 200 characters |", version(200), version(201), "must be a string of 1 to 200 characters or null, not"},
		{"| the first moment | 0001-01-01T00:00:00Z |", created("0001-01-01T01:00:00+01:00"), created("0001-01-01T00:59:59.999999+01:00"), ""},
		{"| the last moment | 9999-12-31T23:59:59.999999Z |", created("9999-12-31T23:59:59.999999Z"), created("9999-12-31T23:59:59.999999-00:01"), ""},
		{"| digits of a second | 9 |", created("2026-03-01T09:30:00.123456789Z"), created("2026-03-01T09:30:00.1234567891Z"), ""},
	} {
		t.Run(c.row, func(t *testing.T) {
			t.Parallel()
			check.Contains(t, page, c.row, "the page's table")
			check.NoError(t, parseOnly(c.accepted), "refused at the limit")
			if err := parseOnly(c.refused); err == nil || !strings.Contains(fmt.Sprint(err), c.reason) {
				t.Errorf("beyond the limit: got %v, want %s", err, c.reason)
			}
		})
	}
}

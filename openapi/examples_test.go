package openapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Readers copy from examples, so each one is held against its schema.
func TestExamples_EveryResponseHasOneAndAllAreValid(t *testing.T) {
	t.Parallel()
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		if status == "304" {
			if len(response.Content) != 0 {
				t.Errorf("%s 304 has a body", op)
			}
			return
		}
		media := response.Content["application/json"]
		if media == nil || len(response.Content) != 1 || len(media.Examples) == 0 {
			t.Errorf("%s %s: wants JSON with an example", op, status)
			return
		}
		for name, example := range media.Examples {
			if err := check(media.Schema.Value, example.Value.Value); err != nil {
				t.Errorf("%s %s, example %s: %v", op, status, name, err)
			}
		}
		for name, header := range response.Headers {
			if err := check(header.Value.Schema.Value, header.Value.Example); err != nil {
				t.Errorf("%s %s, example of %s: %v", op, status, name, err)
			}
		}
	})
}

// Every code of an operation is shown where it can occur, under its own name.
func TestExamples_ErrorsShowTheirCodes(t *testing.T) {
	t.Parallel()
	badRequest := map[string][]string{
		"listInterviews": {
			"invalid_cursor", "invalid_date_range", "invalid_parameter", "unknown_parameter", "updated_since_unsupported",
		},
		"getInterview": {"invalid_parameter", "unknown_parameter"},
		"listCampaigns": {
			"invalid_cursor", "invalid_date_range", "invalid_parameter", "invalid_updated_since", "unknown_parameter",
		},
		"listSynthesis": {
			"invalid_cursor", "invalid_date_range", "invalid_parameter", "invalid_updated_since", "unknown_parameter",
			"unsupported_parameter",
		},
		"getInterviewAnalytics": {"invalid_date_range", "invalid_parameter", "unknown_parameter"},
		"searchIntelligence":    {"invalid_parameter", "unknown_parameter"},
	}
	others := map[string][]string{
		"401": {"expired_api_key", "inactive_api_key", "invalid_api_key", "missing_api_key"},
		"403": {"insufficient_scope"},
		"404": {"not_found"},
		"429": {"rate_limited"},
		"503": {"measurement_unavailable", "service_unavailable"},

		"default": {"internal_error", "method_not_allowed", "payload_too_large"},
	}
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		if status < "400" {
			return
		}
		want := others[status]
		if status == "400" {
			want = badRequest[op]
		}
		var got []string
		for name, example := range response.Content["application/json"].Examples {
			body := example.Value.Value.(map[string]any)
			code := body["code"].(string)
			got = append(got, code)
			if !strings.HasPrefix(name, code) {
				t.Errorf("%s %s: the example %s shows %s", op, status, name, code)
			}
			if status == "400" && body["details"] == nil {
				t.Errorf("%s %s: the example %s has no details", op, status, name)
			}
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s %s: examples show %v, want %v", op, status, got, want)
		}
	})
}

// A reader who recomputes the hash of an example must arrive at it.
func TestExamples_BasesAreTrue(t *testing.T) {
	t.Parallel()
	seen := 0
	var visit func(at string, value any)
	visit = func(at string, value any) {
		switch value := value.(type) {
		case []any:
			for _, item := range value {
				visit(at, item)
			}
		case map[string]any:
			for _, item := range value {
				visit(at, item)
			}
			list, isBasis := value["source_interview_ids"].([]any)
			if !isBasis {
				return
			}
			seen++
			var ids []string
			for _, id := range list {
				ids = append(ids, id.(string))
			}
			if !slices.IsSorted(ids) || value["source_count"] != float64(len(ids)) {
				t.Errorf("%s: ids out of order or miscounted", at)
			}
			hash := sha256.Sum256([]byte(strings.Join(ids, "\n")))
			if want := hex.EncodeToString(hash[:]); value["membership_hash"] != want {
				t.Errorf("%s: membership_hash is %v, want %s", at, value["membership_hash"], want)
			}
		}
	}
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		if media := response.Content["application/json"]; media != nil {
			for name, example := range media.Examples {
				visit(op+" "+status+" "+name, example.Value.Value)
			}
		}
	})
	if seen < 4 {
		t.Errorf("found %d bases, want those of list, detail, analytics and portal", seen)
	}
}

package openapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/clientintel/clientintel/internal/test/check"
)

// Readers copy from examples, so each one is held against its schema.
func TestExamples_EveryResponseHasOneAndAllAreValid(t *testing.T) {
	t.Parallel()
	eachResponse(load(t), func(op, status string, response *openapi3.Response) {
		if status == "304" {
			check.Equal(t, len(response.Content), 0, op, "a 304's body")
			return
		}
		media := response.Content["application/json"]
		if media == nil || len(response.Content) != 1 || len(media.Examples) == 0 {
			t.Errorf("%s %s: wants JSON with an example", op, status)
			return
		}
		for name, example := range media.Examples {
			check.NoError(t, conforms(media.Schema.Value, example.Value.Value), op, status, name)
		}
		for name, header := range response.Headers {
			check.NoError(t, conforms(header.Value.Schema.Value, header.Value.Example), op, status, name)
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

package openapi_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/clientintel/clientintel/openapi"
)

// The types of the TypeScript client hold every description of the contract. make generate
// cannot make them, because their generator is not written in Go.
func TestTypeScriptClient_HasTheContractsDescriptions(t *testing.T) {
	t.Parallel()
	types, err := os.ReadFile("clients/typescript/contract.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	var contract struct {
		Paths      any
		Components map[string]any
	}
	if err := json.Unmarshal(openapi.JSON(), &contract); err != nil {
		t.Fatal(err)
	}
	text := inOneLine(regexp.MustCompile(`\n\s*\*`).ReplaceAllString(string(types), " "))
	read := 0
	for _, part := range []any{contract.Paths, contract.Components["schemas"], contract.Components["responses"], contract.Components["headers"]} {
		eachDescription(part, func(description string) {
			read++
			if !strings.Contains(text, inOneLine(description)) {
				t.Errorf("contract.d.ts lacks a description; run sh openapi/clients/typescript/build.sh:\n%s", description)
			}
		})
	}
	if read < 100 {
		t.Errorf("only %d descriptions were read", read)
	}
}

func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// eachDescription calls do with every description below value.
func eachDescription(value any, do func(string)) {
	switch value := value.(type) {
	case map[string]any:
		for name, item := range value {
			if text, isText := item.(string); isText && name == "description" {
				do(text)
				continue
			}
			eachDescription(item, do)
		}
	case []any:
		for _, item := range value {
			eachDescription(item, do)
		}
	}
}

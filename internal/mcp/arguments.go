package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/clientintel/clientintel/internal/apierror"
)

// arguments are those of a call: the query of the operation behind the tool, and the
// tool's own flags.
type arguments struct {
	query url.Values
	flags map[string]bool
}

// parseArguments leaves the checks of values to the operation, as far as a query can
// carry them.
func (t tool) parseArguments(raw json.RawMessage) (arguments, error) {
	parsed := arguments{url.Values{}, map[string]bool{}}
	var given map[string]json.RawMessage
	if len(raw) > 0 && json.Unmarshal(raw, &given) != nil {
		return parsed, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "arguments must be an object with the tool's parameters by name"}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := given[name]
		if string(value) == "null" { // several hosts send it for what is left out
			continue
		}
		if slices.Contains(t.Flags, name) {
			var on bool
			if json.Unmarshal(value, &on) != nil {
				return parsed, apierror.InvalidParameter(fmt.Sprintf("%s must be true or false, not %s", name, kindOf(value)))
			}
			parsed.flags[name] = on
			continue
		}
		text, err := t.queryValue(name, value)
		if err != nil {
			return parsed, err
		}
		parsed.query.Set(name, text)
	}
	return parsed, nil
}

// wholeNumber is a whole number with a fraction of zeros, such as 5.0.
var wholeNumber = regexp.MustCompile(`^(-?[0-9]+)\.0+$`)

// queryValue returns a value as a query has it: what is no text by its JSON. The
// operation refuses that of a list where it expects a number, a date or a cursor.
func (t tool) queryValue(name string, value json.RawMessage) (string, error) {
	parameter := t.parameters[name]
	switch {
	case parameter.Type == "integer":
		return wholeNumber.ReplaceAllString(string(value), "$1"), nil
	case value[0] == '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err
	case parameter.isAnyText() && strings.ContainsRune("[{tf", rune(value[0])):
		return "", apierror.InvalidParameter(fmt.Sprintf("%s must be a text, not %s", name, kindOf(value)))
	}
	return string(value), nil
}

// parameter is what is read of an argument's schema.
type parameter struct {
	Type      string
	MinLength int
}

// isAnyText reports whether the operation takes any text.
func (p parameter) isAnyText() bool { return p.Type == "string" && p.MinLength > 0 }

func kindOf(value json.RawMessage) string {
	switch value[0] {
	case '"':
		return "a text"
	case '[':
		return "a list"
	case '{':
		return "an object"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

package mcp

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/apierror"
)

// parseArguments returns a call's arguments as the query of the operation behind the tool,
// and the tool's own flags. It leaves the checks of values to the operation: what is no text
// has its JSON in the query, which is refused where a number, a date or a cursor is due.
func (t tool) parseArguments(raw json.RawMessage) (query url.Values, flags map[string]bool, err error) {
	query, flags = url.Values{}, map[string]bool{"include_transcripts": true}
	var given map[string]json.RawMessage
	if len(raw) > 0 && json.Unmarshal(raw, &given) != nil {
		return nil, nil, apierror.InvalidParameter("arguments must be an object with the tool's arguments by name")
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		value := string(given[name])
		switch {
		case value == "null": // several hosts send it for what is left out
		case slices.Contains(t.Flags, name) && (value == "true" || value == "false"):
			flags[name] = value == "true"
		case slices.Contains(t.Flags, name):
			return nil, nil, apierror.InvalidParameter(name + " must be true or false")
		case slices.Contains(t.Integers, name):
			query.Set(name, wholeNumber.ReplaceAllString(value, "$1"))
		case value[0] == '"':
			_ = json.Unmarshal(given[name], &value) // it is valid
			query.Set(name, value)
		case slices.Contains(t.Texts, name) && strings.ContainsAny(value[:1], "[{tf"):
			return nil, nil, apierror.InvalidParameter(name + " must be a text")
		default:
			query.Set(name, value)
		}
	}
	return query, flags, nil
}

// wholeNumber is a whole number with a fraction of zeros, such as 5.0.
var wholeNumber = regexp.MustCompile(`^(-?[0-9]+)\.0+$`)

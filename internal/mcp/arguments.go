package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"

	"github.com/clientintel/clientintel/internal/server"
)

// maxArgument is the longest text of one argument, in bytes. The request line
// bounds REST's.
const maxArgument = 8 << 10

var (
	errNoObject = errors.New("arguments must be an object with the tool's parameters by name")
	// plainNumber excludes exponents.
	plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
)

// parseArguments turns a call's arguments into the values of a query string, a
// number as it was written. The parameters' own checks refuse what no query
// string can hold, and duplicate names.
func parseArguments(raw json.RawMessage) ([]server.Argument, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil, errNoObject
	}
	var arguments []server.Argument
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return nil, errNoObject
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return nil, errNoObject
		}
		argument := parseArgument(value)
		argument.Name, _ = name.(string)
		arguments = append(arguments, argument)
	}
	return arguments, nil
}

func parseArgument(value json.RawMessage) server.Argument {
	if len(value) > 6*maxArgument { // the longest spelling of a character is \u0000
		return tooLong()
	}
	switch value[0] {
	case 'n':
		return server.Argument{Invalid: "null; leave it out instead"}
	case 't', 'f':
		return server.Argument{Value: string(value), Kind: server.Boolean}
	case '[':
		return server.Argument{Invalid: "a list"}
	case '{':
		return server.Argument{Invalid: "an object"}
	case '"':
		return parseText(value)
	}
	switch {
	case !plainNumber.Match(value):
		return server.Argument{Invalid: "a number with an exponent"}
	case len(value) > maxArgument:
		return tooLong()
	}
	return server.Argument{Value: string(value), Kind: server.Number}
}

func parseText(value json.RawMessage) server.Argument {
	var text string
	if err := json.Unmarshal(value, &text); err != nil || !pairedSurrogates.Match(value) {
		// Unpaired surrogates are no text. Every value's own check refuses this byte.
		return server.Argument{Value: "\xff"}
	}
	if len(text) > maxArgument {
		return tooLong()
	}
	return server.Argument{Value: text}
}

func tooLong() server.Argument {
	return server.Argument{Invalid: "more than " + strconv.Itoa(maxArgument) + " bytes"}
}

// pairedSurrogates is a JSON string whose escaped surrogates come in pairs. The
// decoder would replace an unpaired one.
var pairedSurrogates = regexp.MustCompile(`^"([^\\]|\\[^u]|\\u([0-9a-ce-fA-CE-F].|[dD][0-7])..|\\u[dD][89abAB]..\\u[dD][c-fC-F]..)*"$`)

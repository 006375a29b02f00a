package guides_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Power Query runs in Microsoft's products only. The partner checks run its
// blocks by their own reading of the language. Here every bracket and every let,
// if and each is whole, nothing is named that was not defined, and what they ask
// the service for are routes and parameters of the contract. None of it is proof
// that Power BI accepts them.

// mToken is a piece of a Power Query formula: a name, a text, a number, or one
// character of punctuation.
type mToken struct {
	kind string // name, text, number, sign
	text string
	line int
}

var mPieces = regexp.MustCompile(`^(?:(\s+|//[^\n]*|/\*(?s:.*?)\*/)|"((?:[^"]|"")*)"|(#"(?:[^"]|"")*"|#?[A-Za-z_][A-Za-z0-9_.]*)|([0-9]+(?:\.[0-9]+)?)|(=>|<>|<=|>=|\.\.\.|[-+*/&=<>(){}\[\],;?@]))`)

// readPowerQuery takes a formula apart. A character it has no use for is an
// error, an unfinished text included.
func readPowerQuery(text string) ([]mToken, error) {
	var tokens []mToken
	line := 1
	for rest := text; rest != ""; {
		m := mPieces.FindStringSubmatch(rest)
		if m == nil {
			return nil, fmt.Errorf("line %d: cannot read %.20q", line, rest)
		}
		switch {
		case m[1] != "":
		case m[3] != "":
			tokens = append(tokens, mToken{"name", m[3], line})
		case m[4] != "":
			tokens = append(tokens, mToken{"number", m[4], line})
		case m[5] != "":
			tokens = append(tokens, mToken{"sign", m[5], line})
		default:
			tokens = append(tokens, mToken{"text", strings.ReplaceAll(m[2], `""`, `"`), line})
		}
		line += strings.Count(m[0], "\n")
		rest = rest[len(m[0]):]
	}
	return tokens, nil
}

// checkPowerQuery reads a formula as far as that goes.
func checkPowerQuery(text string) error {
	tokens, err := readPowerQuery(text)
	if err != nil {
		return err
	}
	if len(tokens) == 0 {
		return fmt.Errorf("nothing to read")
	}
	return mBalance(tokens)
}

// mBalance checks that brackets, let … in and if … then … else are paired.
func mBalance(tokens []mToken) error {
	closes := map[string]string{")": "(", "]": "[", "}": "{", "in": "let", "then": "if", "else": "then"}
	var open []mToken
	for i, token := range tokens {
		if token.kind != "sign" && token.kind != "name" {
			continue
		}
		switch token.text {
		case "(", "[", "{", "let", "if":
			open = append(open, token)
		case ")", "]", "}", "in", "then", "else":
			if len(open) == 0 || open[len(open)-1].text != closes[token.text] {
				return fmt.Errorf("line %d: %q closes nothing", token.line, token.text)
			}
			open = open[:len(open)-1]
			if token.text == "then" {
				open = append(open, token)
			}
		case ",":
			if i+1 < len(tokens) && closes[tokens[i+1].text] != "" && tokens[i+1].kind != "text" {
				return fmt.Errorf("line %d: a comma before %q", token.line, tokens[i+1].text)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("line %d: %q is never closed", open[0].line, open[0].text)
	}
	return nil
}

func TestCheckPowerQuery_FindsWhatIsBroken(t *testing.T) {
	t.Parallel()
	for text, whole := range map[string]bool{
		`let A = [x = "a ""b"" (", y = {1, 2}] in if A[x] = null then 1 else #duration(0, 0, 0, 1) // )`: true,
		`let A = (1 in A`:                      false,
		`let A = 1`:                            false,
		`if A then 1`:                          false,
		`"never ends`:                          false,
		`{1, 2,}`:                              false,
		`(x as text) => x]`:                    false,
		``:                                     false,
		`let A = 1 in let B = A in {B, [A=B]}`: true,
		`A ~ B`:                                false,
	} {
		if err := checkPowerQuery(text); (err == nil) != whole {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// mField spells fields as the contract does; formulas begin theirs in upper case.
var mField = regexp.MustCompile(`^[a-z]+(?:_[a-z]+)*$`)

// asked are the routes that a formula walks and the fields of the records it
// puts into their queries.
func asked(tokens []mToken) (routes map[string][]string, more []string) {
	routes = map[string][]string{}
	is := func(i int, text string) bool {
		return i < len(tokens) && tokens[i].text == text && tokens[i].kind != "text"
	}
	fields := func(i int) []string { // of the record that begins at i
		var names []string
		for depth := 0; i < len(tokens); i++ {
			if is(i, "[") {
				depth++
			}
			if is(i, "]") {
				depth--
			}
			if depth == 0 {
				break
			}
			if depth == 1 && tokens[i].kind == "name" && is(i+1, "=") {
				names = append(names, tokens[i].text)
			}
		}
		return names
	}
	for i := range tokens {
		if is(i, "ClientIntelWalk") && is(i+1, "(") && i+3 < len(tokens) && tokens[i+2].kind == "text" && is(i+3, ",") {
			routes["/"+tokens[i+2].text] = fields(i + 4)
		}
		if is(i, "filters") && is(i+1, "&") {
			more = append(more, fields(i+2)...)
		}
	}
	return routes, more
}

// The formulas ask for routes and parameters of the contract, and read fields of
// its rows.
func TestPowerQuery_AsksForWhatTheContractHas(t *testing.T) {
	t.Parallel()
	v := readVocabulary(t)
	known := slices.Concat(v.fields["Interview"], v.fields["Campaign"], v.fields["InterviewListResponse"], v.fields["Meta"])
	blocks, _ := mustBlocks(t, biGuide, guideSources()[biGuide])
	routesSeen, namesSeen := map[string]bool{}, 0
	var all []mToken
	for _, b := range blocks {
		if b.tag != "powerquery" {
			continue
		}
		tokens, err := readPowerQuery(b.text)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		all = append(all, tokens...)
		routes, more := asked(tokens)
		for route, fields := range routes {
			routesSeen[route] = true
			for _, name := range append(fields, more...) {
				checkKeywords(t, b, v.parameters, route, "("+name+"=")
				namesSeen++
			}
		}
		for i, token := range tokens {
			// Fields of rows and of meta, as [nps_score] or as a column's name.
			field := token.kind == "name" && i > 0 && tokens[i-1].text == "[" && i+1 < len(tokens) && tokens[i+1].text == "]"
			column := token.kind == "text" && i > 0 && (tokens[i-1].text == "{" || tokens[i-1].text == ",")
			if (field || column) && mField.MatchString(token.text) && token.text != "nps_group" {
				namesSeen++
				if !slices.Contains(known, token.text) {
					t.Errorf("%s, line %d: %q is no field", b, token.line, token.text)
				}
			}
		}
	}
	if !routesSeen["/interviews"] || !routesSeen["/campaigns"] || namesSeen < 20 {
		t.Errorf("found only the routes %v and %d names", routesSeen, namesSeen)
	}
	constant := false
	for i, token := range all {
		if token.text == "RelativePath" && i+2 < len(all) {
			constant = "/"+all[i+2].text == prefix+"/"
		}
	}
	if !constant {
		t.Error("the path in RelativePath does not begin with the API's prefix")
	}
}

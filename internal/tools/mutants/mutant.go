package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// mutant is one change, named by where it is, and the tests that must fail with it.
type mutant struct {
	Promise string // what the change breaks
	// Package and Function are such as internal/page and Codec.Decode. Statement is how one
	// of the function's begins.
	Package, Function, Statement string
	// SQL is "query GetInterview", or how a statement of the migrations goes on after
	// CREATE or begins: "view usable_interviews", "ALTER TABLE interviews ENABLE".
	SQL string
	// Replace is how an expression of the Go statement begins, or a text of the SQL. Empty:
	// the statement is left out.
	Replace, With string
	// Tests are packages, by default the changed one. Run chooses tests of them.
	Tests, Run string
}

func (m mutant) String() string {
	return strings.Join([]string{m.Package + m.SQL, m.Function, m.Statement, m.Replace}, " ")
}

//go:embed mutants.yaml
var list []byte

func load() ([]mutant, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(list))
	decoder.KnownFields(true)
	var all []mutant
	err := decoder.Decode(&all)
	return all, err
}

// changed returns the changed files below root, by path.
func (m mutant) changed(root string) (map[string]string, error) {
	if query, ok := strings.CutPrefix(m.SQL, "query "); ok {
		beginning := `-- name: ` + query + ` `
		return m.changedSQL(map[string]string{root + "/sql/queries/*.sql": beginning, root + "/gen/db/*.sql.go": beginning})
	}
	if m.SQL != "" {
		return m.changedSQL(map[string]string{root + "/sql/migrations/*.sql": `(?i:^(CREATE (OR REPLACE )?)?` + m.SQL + `\b)`})
	}
	paths, err := filepath.Glob(filepath.Join(root, m.Package, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && nameOf(f) == m.Function {
				changed, err := m.changedGo(string(text), f.Body)
				return map[string]string{path: changed}, err
			}
		}
	}
	return nil, fmt.Errorf("%s has no function %s", m.Package, m.Function)
}

// nameOf is a function's name, after that of its receiver's type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return strings.TrimPrefix(types.ExprString(f.Recv.List[0].Type), "*") + "." + f.Name.Name
}

func (m mutant) changedGo(text string, body ast.Node) (string, error) {
	source := func(n ast.Node) string { return text[n.Pos()-1 : n.End()-1] } // positions begin with 1
	var at ast.Node
	for n := range ast.Preorder(body) {
		if _, ok := n.(ast.Stmt); ok && at == nil && strings.HasPrefix(source(n), m.Statement) {
			at = n
		}
	}
	if at == nil {
		return "", fmt.Errorf("no statement begins with %q", m.Statement)
	}
	if m.Replace == "" {
		return text[:at.Pos()-1] + "if false {\n" + source(at) + "\n}" + text[at.End()-1:], nil
	}
	for n := range ast.Preorder(at) {
		if _, ok := n.(ast.Expr); ok && strings.HasPrefix(source(n), m.Replace) {
			return text[:n.Pos()-1] + m.With + text[n.End()-1:], nil
		}
	}
	return "", fmt.Errorf("no expression begins with %q", m.Replace)
}

var parameter = regexp.MustCompile(`@(\w+)`)

// changedSQL changes the last statement with its beginning in each kind of file. Any white
// space equals any other. A query's parameters have names in sql/queries and numbers in
// gen/db.
func (m mutant) changedSQL(beginnings map[string]string) (map[string]string, error) {
	words := strings.Fields(m.Replace)
	for i, word := range words {
		words[i] = parameter.ReplaceAllString(regexp.QuoteMeta(word), `(?P<$1>@$1|\$$\d+)`)
	}
	replaced, err := regexp.Compile(strings.Join(words, `\s+`))
	if err != nil {
		return nil, err
	}
	changed := map[string]string{}
	for glob, beginning := range beginnings {
		// Up to the next one, the end of a generated constant, or the way down.
		pattern := regexp.MustCompile(`(?m)` + beginning + "(?s:.*?)(?:^(?:CREATE|ALTER|GRANT|REVOKE|-- name:|-- \\+goose|`)|\\z)")
		path, text, at, err := lastMatch(glob, pattern)
		if err != nil {
			return nil, err
		}
		statement := text[at[0]:at[1]]
		if n := len(replaced.FindAllString(statement, -1)); n != 1 {
			return nil, fmt.Errorf("%q is there %d times, not once", m.Replace, n)
		}
		statement = replaced.ReplaceAllString(statement, parameter.ReplaceAllString(m.With, "$${$1}"))
		changed[path] = text[:at[0]] + statement + text[at[1]:]
	}
	return changed, nil
}

func lastMatch(glob string, pattern *regexp.Regexp) (path, text string, at []int, err error) {
	files, err := filepath.Glob(glob)
	if err != nil {
		return "", "", nil, err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", "", nil, err
		}
		up, _, _ := bytes.Cut(content, []byte("-- +goose Down"))
		if found := pattern.FindAllIndex(up, -1); found != nil {
			path, text, at = file, string(content), found[len(found)-1]
		}
	}
	if at == nil {
		return "", "", nil, fmt.Errorf("nothing in %s matches %s", glob, pattern)
	}
	return path, text, at, nil
}

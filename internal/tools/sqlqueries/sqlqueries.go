// Package sqlqueries reads the queries of sql/queries, whose parameters have names, for
// programs that run them without the generated code.
package sqlqueries

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Query is one of them.
type Query struct{ Name, text string }

var (
	header    = regexp.MustCompile(`(?m)^-- name: (\w+) :\w+$`)
	comment   = regexp.MustCompile(`(?m)^--.*\n`)
	parameter = regexp.MustCompile(`@(\w+)|sqlc\.n?arg\((\w+)\)`)
)

// Read returns the queries below the repository's folder, in the files' order.
func Read(root string) ([]Query, error) {
	files, err := filepath.Glob(filepath.Join(root, "sql/queries/*.sql"))
	if err != nil {
		return nil, err
	}
	var all []Query
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text := string(content)
		for _, m := range header.FindAllStringSubmatchIndex(text, -1) {
			body, _, _ := strings.Cut(text[m[1]:], "-- name: ")
			all = append(all, Query{text[m[2]:m[3]], strings.TrimSuffix(strings.TrimSpace(comment.ReplaceAllString(body, "")), ";")})
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there are no queries: run this in the repository's folder")
	}
	return all, nil
}

// Text is the query with something in the place of each parameter.
func (q Query) Text(instead func(name string) string) string {
	return parameter.ReplaceAllStringFunc(q.text, func(found string) string {
		parts := parameter.FindStringSubmatch(found)
		return instead(parts[1] + parts[2])
	})
}

// Package sqltext writes a generated query with its arguments in its text, for programs
// that take no parameters apart from the text.
package sqltext

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Literals are the arguments of a query as SQL, in the order of its parameters: the fields
// of the params struct that sqlc generates, or its one argument.
func Literals(params any) []string {
	v := reflect.ValueOf(params)
	if _, isTime := params.(time.Time); v.Kind() != reflect.Struct || isTime {
		return []string{literal(params)}
	}
	all := make([]string, v.NumField())
	for i := range all {
		all[i] = literal(v.Field(i).Interface())
	}
	return all
}

func literal(v any) string {
	switch v := v.(type) {
	case time.Time:
		// Its text has colons, which pgbench takes for variables.
		return fmt.Sprintf("to_timestamp(%d / 1000000.0)", v.UnixMicro())
	case uuid.UUID:
		return "'" + v.String() + "'"
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	}
	r := reflect.ValueOf(v)
	switch {
	case r.Kind() == reflect.Pointer && r.IsNil():
		return "NULL"
	case r.Kind() == reflect.Pointer:
		return literal(r.Elem().Interface())
	default:
		return fmt.Sprint(v)
	}
}

var parameter = regexp.MustCompile(`\$\d+`)

// Inline puts literals in the place of a query's parameters and leaves comments out.
func Inline(query string, literals []string) string {
	var text strings.Builder
	for line := range strings.Lines(query) {
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			text.WriteString(line)
		}
	}
	return parameter.ReplaceAllStringFunc(text.String(), func(found string) string {
		n, _ := strconv.Atoi(found[1:])
		return "(" + literals[n-1] + ")"
	})
}

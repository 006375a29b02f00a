package main

import (
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"
)

// beginningOfTime is before everything, as the product spells it.
var beginningOfTime = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)

// arguments are a params struct's fields as pgbench takes them: sqlc keeps
// fields in the order of the query's numbers. Some may be replaced by name.
func arguments(params any, instead map[string]any) []any {
	v := reflect.ValueOf(params)
	args := make([]any, v.NumField())
	for i := range args {
		if other, ok := instead[v.Type().Field(i).Name]; ok {
			args[i] = other
			continue
		}
		args[i] = pgbenchValue(v.Field(i).Interface())
	}
	return args
}

// pgbenchValue is a value as text; a null is an expression, since pgbench has none.
func pgbenchValue(v any) any {
	switch v := v.(type) {
	case time.Time:
		return v.Format("2006-01-02 15:04:05.999999Z07:00")
	case uuid.UUID:
		return v.String()
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return sqlExpression("NULL")
		}
		return pgbenchValue(r.Elem().Interface())
	}
	return fmt.Sprint(v)
}

package config

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Field is one setting. It is a flag's value, too.
type Field struct {
	// Variable and Flag name it; most settings have no flag.
	Variable, Flag string
	// Default is the default as a person reads it; empty: none.
	Default string
	Meaning string

	// preset is the default as it is set.
	preset, kind string
	value        reflect.Value
}

// Fields lists the settings of the struct that s points to, in the order of
// the table in docs/deployment.md.
func Fields(s any) []*Field {
	var fields []*Field
	of := reflect.ValueOf(s).Elem()
	for i := range of.NumField() {
		tag, value := of.Type().Field(i).Tag, of.Field(i)
		if value.Kind() == reflect.Struct {
			fields = append(fields, Fields(value.Addr().Interface())...)
		} else if tag.Get("env") != "" {
			fields = append(fields, &Field{
				Variable: tag.Get("env"), Flag: tag.Get("flag"), Meaning: tag.Get("usage"),
				Default: tag.Get("default") + tag.Get("shown"), preset: tag.Get("default"), kind: tag.Get("kind"), value: value,
			})
		}
	}
	return fields
}

// Set parses the text of a flag or a variable.
func (f *Field) Set(text string) error {
	switch f.value.Interface().(type) {
	case int:
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return errors.New("must be a whole number from 1")
		}
		f.value.SetInt(int64(n))
	case time.Duration:
		d, err := time.ParseDuration(text)
		mayBeZero := f.kind == "may be zero"
		switch {
		case (err != nil || d < 0) && mayBeZero:
			return errors.New("must be a duration such as 5s, or 0")
		case err != nil || d <= 0 && !mayBeZero:
			return errors.New("must be a duration such as 10s or 24h")
		}
		f.value.SetInt(int64(d))
	default:
		f.value.SetString(text)
	}
	return nil
}

// String is the value as Set takes it.
func (f *Field) String() string {
	if !f.value.IsValid() { // pflag asks a zero Field for its default
		return ""
	}
	return fmt.Sprint(f.value.Interface())
}

// Type names the kind of value in a command's help.
func (f *Field) Type() string {
	switch f.value.Interface().(type) {
	case int:
		return "int"
	case time.Duration:
		return "duration"
	}
	return "string"
}

// Hidden reports whether the value may contain a secret, and so must not be printed as a default.
func (f *Field) Hidden() bool { return f.kind == "secret" || f.kind == "url" }

// Redacted is the value without a secret or a URL's password.
func (f *Field) Redacted() string {
	text := f.String()
	switch {
	case text == "" || !f.Hidden():
		return text
	case f.kind == "secret":
		return "(set)"
	}
	// Text that is no URL, such as key=value settings, may contain a password anywhere; so
	// may a query. A password with an unescaped # or / is parsed as what follows the host.
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" || u.Host == "" || u.User == nil && strings.Contains(text, "@") || strings.Count(text, "@") > 1 {
		return "(set)"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}

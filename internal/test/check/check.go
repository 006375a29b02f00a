// Package check compares what tests got with what they want. A test that fails goes on; what
// it is about is told before what it got.
package check

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Equal wants one value.
func Equal[T comparable](t testing.TB, got, want T, about ...any) {
	t.Helper()
	if got != want {
		t.Error(append(about, fmt.Sprintf("got %v, want %v", got, want))...)
	}
}

// Slices wants the same elements, and takes none for none.
func Slices[T comparable](t testing.TB, got, want []T, about ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Error(append(about, fmt.Sprintf("got %v, want %v", got, want))...)
	}
}

// DeepEqual wants the same all the way down.
func DeepEqual(t testing.TB, got, want any, about ...any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Error(append(about, fmt.Sprintf("got %+v\nwant %+v", got, want))...)
	}
}

// Contains wants a part of a text.
func Contains(t testing.TB, got, want string, about ...any) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Error(append(about, fmt.Sprintf("got %s\nwithout %q", got, want))...)
	}
}

// NoError wants none.
func NoError(t testing.TB, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Error(append(about, err)...)
	}
}

// Lacks wants no such part of a text.
func Lacks(t testing.TB, got, part string, about ...any) {
	t.Helper()
	if strings.Contains(got, part) {
		t.Error(append(about, fmt.Sprintf("got %s\nwith %q", got, part))...)
	}
}

// Error wants one that says this.
func Error(t testing.TB, err error, want string, about ...any) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(append(about, fmt.Sprintf("got the error %v, want %q", err, want))...)
	}
}

//go:build !partners

package guides_test

import "testing"

func packages(*testing.T) string { return "" }

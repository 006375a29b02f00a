//go:build clientintel_benchmark

package config

import (
	"os"
	"slices"
	"strings"
)

var disabled = strings.Split(os.Getenv("CLIENTINTEL_BENCHMARK_DISABLED"), "+")

// Disabled reports whether the environment leaves a part of the server out. This build
// is for benchmarks only.
func Disabled(part string) bool { return slices.Contains(disabled, part) }

//go:build !clientintel_benchmark

package ratelimit

// bypass is for benchmarks that leave admission out. A release build has none.
type bypass struct{}

func newBypass() bypass { return bypass{} }

func (bypass) lookup(Request) (Admission, bool) { return Admission{}, false }

func (bypass) store(Request, Admission) {}

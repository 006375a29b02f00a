//go:build !clientintel_benchmark

package ratelimit

// bypass is for benchmarks that leave admission out. A release build has none.
type bypass struct{}

func newBypass() bypass { return bypass{} }

func (bypass) recall(Request) (Admission, bool) { return Admission{}, false }

func (bypass) remember(Request, Admission) {}

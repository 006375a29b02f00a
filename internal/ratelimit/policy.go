//go:build !clientintel_testing

package ratelimit

import "time"

// Policy is the quota and the window of the contract, which nothing changes in a release
// build.
func Policy() (maxRequests int32, window, clockShift time.Duration) {
	return 600, time.Hour, 0
}

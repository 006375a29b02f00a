//go:build !clientintel_testing

package ratelimit

import "time"

// Policy is the limit of the contract. A release build cannot be told another.
func Policy() (maxRequests int32, window, clockShift time.Duration) {
	return 600, time.Hour, 0
}

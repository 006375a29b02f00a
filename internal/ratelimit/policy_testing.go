//go:build clientintel_testing

package ratelimit

import (
	"os"
	"strconv"
	"time"
)

// Policy is the contract's, or what the environment sets: this build is for tests only.
func Policy() (maxRequests int32, window, clockShift time.Duration) {
	maxRequests, window = 600, time.Hour
	if n, err := strconv.ParseInt(os.Getenv("CLIENTINTEL_TESTING_MAX_REQUESTS"), 10, 32); err == nil {
		maxRequests = int32(n)
	}
	if d, err := time.ParseDuration(os.Getenv("CLIENTINTEL_TESTING_WINDOW")); err == nil {
		window = d
	}
	if d, err := time.ParseDuration(os.Getenv("CLIENTINTEL_TESTING_CLOCK_SHIFT")); err == nil {
		clockShift = d
	}
	return maxRequests, window, clockShift
}

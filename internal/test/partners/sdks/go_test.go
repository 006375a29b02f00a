//go:build partners && clientintel_testing

package sdks_test

import "testing"

// The Go client is generated with the server and committed; make check-generated keeps it
// fresh. So it is only compiled and sent out.
func TestGo(t *testing.T) {
	r := prepare(t)
	printed, _ := r.run(t, "go", "go", "run", "-tags", "partners", ".")
	r.walked(t, printed)
}

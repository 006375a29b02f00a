package middleware

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// An error of the network names both ends of its connection; the log does not.
func TestLoggedError_HasNoAddresses(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(-time.Second)))
	_, late := conn.Read(make([]byte, 1))
	if late == nil || !strings.Contains(late.Error(), "127.0.0.1") {
		t.Fatalf("the error %v names no address", late)
	}
	for want, err := range map[string]error{
		os.ErrDeadlineExceeded.Error():                  late,
		"reading: " + os.ErrDeadlineExceeded.Error():    fmt.Errorf("reading: %w", late),
		"invalid_parameter: reading it: i/o timeout":    apierror.MalformedMessage("too slow").Because(fmt.Errorf("reading it: %w", late)),
		"service_unavailable: i/o timeout, and no more": apierror.Unavailable(fmt.Errorf("%w, and no more", late)),
	} {
		check.Equal(t, loggedError(err), want, err)
	}
}

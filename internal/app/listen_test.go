package app_test

import (
	"strings"
	"testing"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/test/require"
)

func TestListen_AnIPv4AddressIsIPv4Alone(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"0.0.0.0:0": "0.0.0.0:", "127.0.0.1:0": "127.0.0.1:"} {
		l, err := app.Listen(t.Context(), address, "--listen")
		require.NoError(t, err)
		defer l.Close()
		if got := l.Addr().String(); !strings.HasPrefix(got, want) {
			t.Errorf("%s listens on %s", address, got)
		}
	}
}

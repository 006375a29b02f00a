package partnerserver

import (
	"bytes"
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/require"
)

// Base is what every route begins with.
const Base = "/api/client/v1"

// Start runs a server with the demo's brands, alderpeak and brightlarder, as of
// now. Each key may make so many requests in a window, which needs the build tag
// clientintel_testing: the limit of a release build is the contract's.
func Start(t *testing.T, requests int, window time.Duration) (*apitest.Server, *apitest.Seed) {
	t.Helper()
	t.Setenv("CLIENTINTEL_TESTING_MAX_REQUESTS", strconv.Itoa(requests))
	t.Setenv("CLIENTINTEL_TESTING_WINDOW", window.String())
	srv, seed := apitest.Start(t)
	if got := srv.Get(t, Base+"/campaigns", srv.KeyFor(t, "acme")).Header.Get("X-RateLimit-Limit"); got != strconv.Itoa(requests) {
		t.Fatalf("the limit is %s, not %d: run with -tags partners,clientintel_testing, as make partners does", got, requests)
	}
	conn, err := pgx.Connect(t.Context(), srv.Database.OwnerURL)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var file bytes.Buffer
	require.NoError(t, demodata.Demo(&file, time.Now()))
	_, err = importer.Import(t.Context(), conn, importer.Options{}, importer.Stream("the input", &file))
	require.NoError(t, err, "importing the demo corpus")
	for _, b := range demodata.Brands() {
		seed.Clients[b.Slug] = b.ID
	}
	return srv, seed
}

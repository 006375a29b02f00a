package mcp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/fairqueue"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/require"
)

// A client's calls wait for each other, and no longer than for callTimeout: results of
// megabytes at once would take the processors from everybody else's requests.
func TestCall_WaitsForTheClientsOtherCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &Handler{calls: fairqueue.NewSlots(2, 1, maxWaitingOfClient)}
		client := uuid.New()
		require.NoError(t, h.calls.Acquire(t.Context(), client, time.Second))
		ctx := auth.WithCaller(context.Background(), auth.Caller{ClientID: client})
		began := time.Now()
		result, err := h.toolHandler(tool{})(ctx, &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}})
		if err != nil || !result.IsError {
			t.Fatalf("got %+v, %v; want a refusal", result, err)
		}
		check.Equal(t, time.Since(began), callTimeout, "it waited")
	})
}

//go:build partners

// Command go sends the generated Go client on its tour.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"

	"github.com/clientintel/clientintel/gen/client"
)

func with(address, key string) *client.ClientWithResponses {
	c, err := client.NewClientWithResponses(os.Getenv(address), client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	must(err)
	return c
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func refusal(r *http.Response, body client.ErrorResponse) string {
	return fmt.Sprintf("%d %s", r.StatusCode, *body.Code)
}

func main() {
	ctx := context.Background()
	full := with("BASE", os.Getenv("KEY"))
	seen := map[string]any{}

	limit, ids := 2, []string{}
	for params := (client.ListInterviewsParams{Limit: &limit}); ; {
		page, err := full.ListInterviewsWithResponse(ctx, &params)
		must(err)
		for _, i := range page.JSON200.Data {
			ids = append(ids, i.ID.String())
		}
		if !*page.JSON200.Meta.HasMore {
			break
		}
		next := page.JSON200.Meta.NextCursor.MustGet()
		params.StartingAfter = &next
	}
	seen["interviews"] = ids

	collection, err := full.ListSynthesisWithResponse(ctx, &client.ListSynthesisParams{})
	must(err)
	row, err := collection.JSON200.Data[0].AsSynthesisDocumentRow()
	must(err)
	seen["row"] = row.ContractVersion

	portal, err := full.ListSynthesisWithResponse(ctx, &client.ListSynthesisParams{Surface: new(client.ListSynthesisParamsSurfacePortal)})
	must(err)
	body, err := portal.JSON200.Data[0].AsPublishedSynthesisBody()
	must(err)
	seen["portal"], seen["integrity"] = body.Schema, body.MeasurementIntegrity.Status

	none := &client.ListInterviewsParams{}
	unauthorized, err := with("BASE", "cik_wrong").ListInterviewsWithResponse(ctx, none)
	must(err)
	seen["unauthorized"] = refusal(unauthorized.HTTPResponse, *unauthorized.JSON401)
	forbidden, err := with("BASE", os.Getenv("NARROW")).ListInterviewsWithResponse(ctx, none)
	must(err)
	seen["forbidden"] = refusal(forbidden.HTTPResponse, *forbidden.JSON403)
	limit = 0
	invalid, err := full.ListInterviewsWithResponse(ctx, &client.ListInterviewsParams{Limit: &limit})
	must(err)
	seen["invalid"] = refusal(invalid.HTTPResponse, *invalid.JSON400)
	limited, err := with("LIMITED", os.Getenv("SPENT")).ListInterviewsWithResponse(ctx, none)
	must(err)
	seen["limited"] = refusal(limited.HTTPResponse, *limited.JSON429)
	after, err := strconv.Atoi(limited.HTTPResponse.Header.Get("Retry-After"))
	must(err)
	seen["mayRetry"] = after > 0
	must(json.NewEncoder(os.Stdout).Encode(seen))
}

package clientintel_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/clientintel/clientintel/gen/client"
	clientintel "github.com/clientintel/clientintel/openapi/clients/go"
)

// Count the detractors among the interviews of some days, across all pages.
func ExampleClient_Interviews() {
	api, err := clientintel.New(clientintel.Settings{BaseURL: baseURL, Key: key, MaxWait: time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	from, to := "2026-03-10", "2026-03-20"
	all, detractors := 0, 0
	for interview, err := range api.Interviews(context.Background(), client.ListInterviewsParams{DateFrom: &from, DateTo: &to}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		all++
		if score, err := interview.NpsScore.Get(); err == nil && score < 7 {
			detractors++
		}
	}
	fmt.Println(detractors, "of", all)
	// Output: 7 of 11
}

// Errors have types.
func ExampleError() {
	api, err := clientintel.New(clientintel.Settings{BaseURL: baseURL, Key: narrowKey})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = api.Search(context.Background(), client.SearchIntelligenceParams{Q: "delivery"})
	var refused *clientintel.Error
	switch {
	case errors.Is(err, clientintel.ErrMissingScope):
		errors.As(err, &refused)
		fmt.Println(refused.Status, refused.Message)
	case err != nil:
		fmt.Println(err)
	}
	// Output: 403 Missing required scope: read:custom_extraction
}

// Read the campaigns, and what was asked in them.
func ExampleClient_Campaigns() {
	api, err := clientintel.New(clientintel.Settings{BaseURL: baseURL, Key: key})
	if err != nil {
		fmt.Println(err)
		return
	}
	for campaign, err := range api.Campaigns(context.Background(), client.ListCampaignsParams{}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(campaign.Slug, campaign.DisplayName.MustGet())
	}
	// Output: spring Spring
}

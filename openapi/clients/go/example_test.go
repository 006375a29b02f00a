package clientintel_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientintel "github.com/clientintel/clientintel/openapi/clients/go"
	"github.com/clientintel/clientintel/openapi/clients/go/contract"
)

// Count the detractors among the interviews of some days, across all pages.
func ExampleClient_Interviews() {
	c, err := clientintel.New(clientintel.Settings{BaseURL: baseURL, Key: key, MaxWait: time.Hour})
	if err != nil {
		fmt.Println(err)
		return
	}
	from, to := "2026-03-10", "2026-03-20"
	all, detractors := 0, 0
	for interview, err := range c.Interviews(context.Background(), contract.ListInterviewsParams{DateFrom: &from, DateTo: &to}).Rows() {
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
	c, err := clientintel.New(clientintel.Settings{BaseURL: baseURL, Key: narrowKey})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = c.Search(context.Background(), contract.SearchIntelligenceParams{Q: "delivery"})
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
	c, err := clientintel.New(clientintel.Settings{BaseURL: baseURL, Key: key})
	if err != nil {
		fmt.Println(err)
		return
	}
	for campaign, err := range c.Campaigns(context.Background(), contract.ListCampaignsParams{}).Rows() {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(campaign.Slug, campaign.DisplayName.MustGet())
	}
	// Output: spring Spring
}

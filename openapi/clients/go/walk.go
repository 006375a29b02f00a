package clientintel

import (
	"context"
	"errors"
	"iter"

	"github.com/clientintel/clientintel/openapi/clients/go/contract"
)

// largest is the page size of a walk that names none: the fewest requests.
const largest = 200

// Interviews walks the interviews that match, newest first, across all pages.
// The error, if any, comes last and ends the walk. Leave StartingAfter unset;
// Limit is the page size, and 200 when unset.
func (c *Client) Interviews(ctx context.Context, params contract.ListInterviewsParams) iter.Seq2[contract.Interview, error] {
	return walk(params.Limit, params.StartingAfter, func(limit *int, after *string) ([]contract.Interview, contract.Meta, error) {
		params := params
		params.Limit, params.StartingAfter = limit, after
		res, err := c.api.ListInterviews(ctx, &params) //nolint:bodyclose // decode closes it
		page, err := decode[contract.InterviewListResponse](res, err)
		return page.Data, page.Meta, err
	})
}

// Campaigns walks the campaigns that match, newest first, as Interviews does.
func (c *Client) Campaigns(ctx context.Context, params contract.ListCampaignsParams) iter.Seq2[contract.Campaign, error] {
	return walk(params.Limit, params.StartingAfter, func(limit *int, after *string) ([]contract.Campaign, contract.Meta, error) {
		params := params
		params.Limit, params.StartingAfter = limit, after
		res, err := c.api.ListCampaigns(ctx, &params) //nolint:bodyclose // decode closes it
		page, err := decode[contract.CampaignListResponse](res, err)
		return page.Data, page.Meta, err
	})
}

// Synthesis walks the published rows that match, latest refreshed first, as
// Interviews does. For the portal's bodies see Portal.
func (c *Client) Synthesis(
	ctx context.Context, params contract.ListSynthesisParams,
) iter.Seq2[contract.SynthesisDocumentRow, error] {
	return walkItems(ctx, c, params, contract.SynthesisItem.AsSynthesisDocumentRow)
}

// Portal walks the published bodies of a portal surface, as Interviews does;
// params.Type is home when unset.
func (c *Client) Portal(
	ctx context.Context, params contract.ListSynthesisParams,
) iter.Seq2[contract.PublishedSynthesisBody, error] {
	surface := contract.ListSynthesisParamsSurfacePortal
	params.Surface = &surface
	return walkItems(ctx, c, params, contract.SynthesisItem.AsPublishedSynthesisBody)
}

func walkItems[T any](
	ctx context.Context, c *Client, params contract.ListSynthesisParams, as func(contract.SynthesisItem) (T, error),
) iter.Seq2[T, error] {
	return walk(params.Limit, params.StartingAfter, func(limit *int, after *string) ([]T, contract.Meta, error) {
		params := params
		params.Limit, params.StartingAfter = limit, after
		res, err := c.api.ListSynthesis(ctx, &params) //nolint:bodyclose // decode closes it
		page, err := decode[contract.SynthesisListResponse](res, err)
		rows := make([]T, 0, len(page.Data))
		for _, item := range page.Data {
			row, err := as(item)
			if err != nil {
				return nil, page.Meta, err
			}
			rows = append(rows, row)
		}
		return rows, page.Meta, err
	})
}

// walk follows the cursors, a page at a time, until the last or until the
// caller has seen enough.
func walk[T any](
	limit *int, after *string, read func(limit *int, after *string) ([]T, contract.Meta, error),
) iter.Seq2[T, error] {
	if limit == nil {
		size := largest
		limit = &size
	}
	return func(yield func(T, error) bool) {
		var none T
		from := after // each range over the walk starts where the walk starts
		for {
			rows, meta, err := read(limit, from)
			if err != nil {
				yield(none, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
			if meta.HasMore == nil || !*meta.HasMore {
				return
			}
			next, err := meta.NextCursor.Get()
			if err != nil || from != nil && next == *from {
				yield(none, errors.New("clientintel: the answer promises more, and no cursor to go on with"))
				return
			}
			from = &next
		}
	}
}

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
// Limit is the page size, and 200 when unset; StartingAfter is a Cursor of an
// earlier walk with the same filters, or unset.
func (c *Client) Interviews(ctx context.Context, params contract.ListInterviewsParams) *Walk[contract.Interview] {
	return walk(params.Limit, params.StartingAfter, func(limit *int, after *string) ([]contract.Interview, contract.Meta, error) {
		params := params
		params.Limit, params.StartingAfter = limit, after
		res, err := c.api.ListInterviews(ctx, &params) //nolint:bodyclose // decode closes it
		page, err := decode[contract.InterviewListResponse](res, err)
		return page.Data, page.Meta, err
	})
}

// Campaigns walks the campaigns that match, newest first, as Interviews does.
func (c *Client) Campaigns(ctx context.Context, params contract.ListCampaignsParams) *Walk[contract.Campaign] {
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
func (c *Client) Synthesis(ctx context.Context, params contract.ListSynthesisParams) *Walk[contract.SynthesisDocumentRow] {
	return walkItems(ctx, c, params, contract.SynthesisItem.AsSynthesisDocumentRow)
}

// Portal walks the published bodies of a portal surface, as Interviews does;
// params.Type is home when unset.
func (c *Client) Portal(ctx context.Context, params contract.ListSynthesisParams) *Walk[contract.PublishedSynthesisBody] {
	surface := contract.ListSynthesisParamsSurfacePortal
	params.Surface = &surface
	return walkItems(ctx, c, params, contract.SynthesisItem.AsPublishedSynthesisBody)
}

func walkItems[T any](
	ctx context.Context, c *Client, params contract.ListSynthesisParams, as func(contract.SynthesisItem) (T, error),
) *Walk[T] {
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

// Walk is a whole list. It is for one goroutine at a time.
type Walk[T any] struct {
	// Cursor is where the page begins that the latest row was on; empty: at the
	// start. It never expires: given to the list again as StartingAfter, rows of
	// that page come again, and none is missed.
	Cursor string

	limit int
	read  func(limit *int, after *string) ([]T, contract.Meta, error)
}

func walk[T any](limit *int, after *string, read func(limit *int, after *string) ([]T, contract.Meta, error)) *Walk[T] {
	w := &Walk[T]{limit: largest, read: read}
	if limit != nil {
		w.limit = *limit
	}
	if after != nil {
		w.Cursor = *after
	}
	return w
}

// Rows are the rows from Cursor on, a page at a time, until the last or until the
// caller has seen enough. The error, if any, comes last and ends the walk.
func (w *Walk[T]) Rows() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for {
			var after *string
			if w.Cursor != "" {
				from := w.Cursor
				after = &from
			}
			rows, meta, err := w.read(&w.limit, after)
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
			if err != nil || next == "" || next == w.Cursor {
				yield(none, errors.New("clientintel: the answer promises more, and no cursor to go on with"))
				return
			}
			w.Cursor = next
		}
	}
}

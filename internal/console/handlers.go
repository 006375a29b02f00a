package console

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/admin"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
)

// handlers are the operations of the contract.
type handlers struct {
	keys    *apikey.Registry
	cursors *page.Codec
	now     func() time.Time
}

var _ admin.StrictServerInterface = (*handlers)(nil)

// session is the caller of a request, and from where.
type session struct {
	Caller
	address netip.Addr
}

type sessionKey struct{}

func sessionFrom(ctx context.Context) session {
	s, _ := ctx.Value(sessionKey{}).(session)
	return s
}

// by is who asks for a change, for the audit trail.
func (s session) by(reason, once *string) apikey.By {
	by := apikey.By{Actor: s.Actor, Address: s.address}
	if reason != nil {
		by.Reason = *reason
	}
	if once != nil {
		by.Once = *once
	}
	return by
}

// client finds the client of a path. Another than the token's is not found.
func (h *handlers) client(ctx context.Context, named string) (apikey.Client, error) {
	client, err := h.keys.Client(ctx, named)
	if err != nil {
		return client, public(err)
	}
	if own := sessionFrom(ctx).Client; own != nil && *own != client.ID {
		return apikey.Client{}, apierror.NotFound
	}
	return client, nil
}

// public is an error with the words and the kind that callers see.
func public(err error) error {
	if done, ok := errors.AsType[apikey.AlreadyDoneError](err); ok {
		return apierror.AlreadyDone(done.Key.String())
	}
	if refused, ok := errors.AsType[apikey.RefusedError](err); ok {
		return apierror.Conflict(refused.Error())
	}
	if _, ok := errors.AsType[apikey.NotFoundError](err); ok {
		return apierror.NotFound
	}
	if postgres.IsUnavailable(err) {
		return apierror.Unavailable(err)
	}
	return err
}

// parsePage reads limit and starting_after. The cursors are the console's alone.
func (h *handlers) parsePage(limit *int, after *string, client uuid.UUID, route string, filters ...any) (page.Request, error) {
	return h.cursors.Request(limit, after, page.Scope{ClientID: client, Route: "/admin" + route, Filters: filters})
}

// ListClients lists every client, for operators.
func (h *handlers) ListClients(ctx context.Context, req admin.ListClientsRequestObject) (admin.ListClientsResponseObject, error) {
	if sessionFrom(ctx).Client != nil {
		return nil, apierror.NotFound
	}
	asked, err := h.parsePage(req.Params.Limit, req.Params.StartingAfter, uuid.Nil, "/clients")
	if err != nil {
		return nil, err
	}
	found, next, err := h.keys.Clients(ctx, asked)
	if err != nil {
		return nil, public(err)
	}
	var body admin.ListClients200JSONResponse
	body.Data = make([]admin.ClientSummary, len(found))
	for i, c := range found {
		body.Data[i] = clientOf(c)
	}
	body.Meta.Count, body.Meta.HasMore, body.Meta.NextCursor = len(found), next != nil, h.cursors.Next(asked, next)
	return body, nil
}

// ListKeys lists a client's keys.
func (h *handlers) ListKeys(ctx context.Context, req admin.ListKeysRequestObject) (admin.ListKeysResponseObject, error) {
	client, err := h.client(ctx, req.Client)
	if err != nil {
		return nil, err
	}
	var inForce *bool
	if req.Params.State != nil {
		inForce = new(*req.Params.State == admin.ListKeysParamsStateInForce)
	}
	asked, err := h.parsePage(req.Params.Limit, req.Params.StartingAfter, client.ID, "/keys", inForce)
	if err != nil {
		return nil, err
	}
	found, next, err := h.keys.Keys(ctx, client.ID, inForce, asked)
	if err != nil {
		return nil, public(err)
	}
	if client.KeysInForce, err = h.keys.CountInForce(ctx, client.ID); err != nil {
		return nil, public(err)
	}
	var body admin.ListKeys200JSONResponse
	body.Data = make([]admin.Key, len(found))
	for i, k := range found {
		body.Data[i] = keyOf(client.ID, k)
	}
	body.Meta.ClientID, body.Meta.Client = client.ID, clientOf(client)
	body.Meta.Count, body.Meta.HasMore, body.Meta.NextCursor = len(found), next != nil, h.cursors.Next(asked, next)
	return body, nil
}

// GetKey shows a key.
func (h *handlers) GetKey(ctx context.Context, req admin.GetKeyRequestObject) (admin.GetKeyResponseObject, error) {
	client, err := h.client(ctx, req.Client)
	if err != nil {
		return nil, err
	}
	body, err := h.show(ctx, client.ID, req.ID)
	return admin.GetKey200JSONResponse(body), err
}

func (h *handlers) show(ctx context.Context, client, key uuid.UUID) (admin.KeyResponse, error) {
	shown, err := h.keys.Show(ctx, client, key)
	if err != nil {
		return admin.KeyResponse{}, public(err)
	}
	return admin.KeyResponse{Data: keyOf(client, shown), Meta: admin.Meta{ClientID: client}}, nil
}

// IssueKey makes a key.
func (h *handlers) IssueKey(ctx context.Context, req admin.IssueKeyRequestObject) (admin.IssueKeyResponseObject, error) {
	client, err := h.client(ctx, req.Client)
	if err != nil {
		return nil, err
	}
	asked := apikey.Request{Client: client.ID.String(), Name: strings.TrimSpace(req.Body.Name)}
	if asked.Name == "" || strings.ContainsFunc(asked.Name, unicode.IsControl) {
		return nil, apierror.InvalidBody("name: must have a visible character and no control characters")
	}
	if asked.Scopes, err = parseScopes(client, cmp.Or(req.Body.Scopes, new(defaultScopes()))); err != nil {
		return nil, err
	}
	if asked.ExpiresAt, err = h.parseExpiry(req.Body.ExpiresAt); err != nil {
		return nil, err
	}
	issued, err := h.keys.Issue(ctx, asked, sessionFrom(ctx).by(nil, req.Params.IdempotencyKey))
	if err != nil {
		return nil, public(err)
	}
	return admin.IssueKey201JSONResponse(issuedOf(issued)), nil
}

// RotateKey replaces a key by a new one.
func (h *handlers) RotateKey(ctx context.Context, req admin.RotateKeyRequestObject) (admin.RotateKeyResponseObject, error) {
	client, err := h.client(ctx, req.Client)
	if err != nil {
		return nil, err
	}
	var with apikey.Rotation
	if req.Body != nil {
		if with.Grace, err = parseGrace(req.Body.Grace); err != nil {
			return nil, err
		}
		if req.Body.Scopes != nil {
			if with.Scopes, err = parseScopes(client, req.Body.Scopes); err != nil {
				return nil, err
			}
		}
	}
	named := apikey.Named{Client: client.ID.String(), Key: req.ID.String()}
	issued, err := h.keys.Rotate(ctx, named, with, sessionFrom(ctx).by(nil, req.Params.IdempotencyKey), func(apikey.Issued) error {
		return ctx.Err() // whoever left does not see the new key
	})
	if err != nil {
		return nil, public(err)
	}
	return admin.RotateKey201JSONResponse(issuedOf(issued)), nil
}

// RevokeKey ends a key.
func (h *handlers) RevokeKey(ctx context.Context, req admin.RevokeKeyRequestObject) (admin.RevokeKeyResponseObject, error) {
	client, err := h.client(ctx, req.Client)
	if err != nil {
		return nil, err
	}
	var reason *string
	if req.Body != nil {
		reason = req.Body.Reason
	}
	if _, err := h.keys.Revoke(ctx, apikey.Named{Client: client.ID.String(), Key: req.ID.String()}, sessionFrom(ctx).by(reason, nil)); err != nil {
		return nil, public(err)
	}
	body, err := h.show(ctx, client.ID, req.ID)
	return admin.RevokeKey200JSONResponse(body), err
}

// ListAudit lists what was done to a client's keys.
func (h *handlers) ListAudit(ctx context.Context, req admin.ListAuditRequestObject) (admin.ListAuditResponseObject, error) {
	client, err := h.client(ctx, req.Client)
	if err != nil {
		return nil, err
	}
	asked, err := h.parsePage(req.Params.Limit, req.Params.StartingAfter, client.ID, "/audit")
	if err != nil {
		return nil, err
	}
	found, next, err := h.keys.Trail(ctx, client.ID, asked)
	if err != nil {
		return nil, public(err)
	}
	var body admin.ListAudit200JSONResponse
	body.Data = make([]admin.AuditEntry, len(found))
	for i, e := range found {
		body.Data[i] = admin.AuditEntry{
			At: basis.Timestamp(e.At), Action: e.Action, KeyID: e.KeyID, Prefix: e.Prefix, Actor: e.Actor, Reason: e.Reason, Detail: e.Detail,
		}
		if e.Address != "" {
			body.Data[i].Address = &e.Address
		}
	}
	body.Meta.ClientID = client.ID
	body.Meta.Count, body.Meta.HasMore, body.Meta.NextCursor = len(found), next != nil, h.cursors.Next(asked, next)
	return body, nil
}

func clientOf(c apikey.Client) admin.ClientSummary {
	shown := admin.ClientSummary{ID: c.ID, Slug: c.Slug, Name: c.Name, KeysInForce: int(c.KeysInForce), MaxKeysInForce: apikey.MaxInForce}
	if c.AllowedScopes != nil {
		shown.AllowedScopes = &c.AllowedScopes
	}
	return shown
}

func keyOf(client uuid.UUID, k apikey.Shown) admin.Key {
	return admin.Key{
		ID: k.ID, Prefix: k.Prefix, ClientID: client, Name: k.Name, Scopes: k.Scopes, State: admin.KeyState(apikey.StateOf(k.ExpiresAt, k.RevokedAt, k.ReadAt)),
		CreatedAt: basis.Timestamp(k.CreatedAt), CreatedBy: k.CreatedBy, ExpiresAt: timestamp(k.ExpiresAt),
		RevokedAt: timestamp(k.RevokedAt), LastUsedAt: timestamp(k.LastUsedAt),
		RequestsLastHour: int(k.RequestsLastHour), Requests30Days: int(k.Requests30Days), Limited30Days: int(k.Limited30Days),
	}
}

func issuedOf(i apikey.Issued) admin.IssuedKeyResponse {
	return admin.IssuedKeyResponse{
		Data: admin.IssuedKey{
			ID: i.ID, Prefix: i.Prefix, Key: i.Key, ClientID: i.ClientID, Name: i.Name, Scopes: i.Scopes, ExpiresAt: timestamp(i.ExpiresAt),
		},
		Meta: admin.Meta{ClientID: i.ClientID},
	}
}

func timestamp(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(basis.Timestamp(*t))
}

func defaultScopes() []admin.Scope {
	var scopes []admin.Scope
	for _, s := range auth.Default() {
		scopes = append(scopes, admin.Scope(s))
	}
	return scopes
}

// parseScopes checks that the client's keys may have the scopes. The contract knows them.
func parseScopes(client apikey.Client, given *[]admin.Scope) ([]auth.Scope, error) {
	scopes := make([]auth.Scope, len(*given))
	for i, s := range *given {
		if client.AllowedScopes != nil && !slices.Contains(client.AllowedScopes, string(s)) {
			return nil, apierror.InvalidBody("scopes: this client's keys may not have " + string(s) + ", only " + strings.Join(client.AllowedScopes, ", "))
		}
		scopes[i] = auth.Scope(s)
	}
	return scopes, nil
}

func (h *handlers) parseExpiry(text *string) (*time.Time, error) {
	if text == nil {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, *text)
	at = at.UTC().Truncate(time.Microsecond)
	if err != nil || !at.After(h.now()) || at.Year() > 9999 {
		return nil, apierror.InvalidBody("expires_at: must be a date-time of the future such as 2030-01-31T00:00:00Z")
	}
	return &at, nil
}

// maxGrace is how long a rotated key may go on working.
const maxGrace = 30 * 24 * time.Hour

// parseGrace reads digits and a unit, as the contract has them.
func parseGrace(text *string) (time.Duration, error) {
	if text == nil {
		return 0, nil
	}
	digits, unit := (*text)[:len(*text)-1], (*text)[len(*text)-1]
	count, err := strconv.Atoi(digits)
	grace := time.Duration(count) * map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[unit]
	if err != nil || grace > maxGrace {
		return 0, apierror.InvalidBody("grace: must be at most 30d")
	}
	return grace, nil
}

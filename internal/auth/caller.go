package auth

import (
	"context"
	"slices"

	"github.com/google/uuid"
)

// Scope is what a key may read.
type Scope string

// The scopes of the contract.
const (
	ReadCampaigns          Scope = "read:campaigns"
	ReadInterviewsMetadata Scope = "read:interviews_metadata"
	ReadSynthesis          Scope = "read:synthesis"
	ReadTranscripts        Scope = "read:transcripts"
	ReadCustomerIdentity   Scope = "read:customer_identity"
	ReadRawExtraction      Scope = "read:raw_extraction"
	ReadCustomExtraction   Scope = "read:custom_extraction"
	ExportData             Scope = "export:data"
)

// Default returns the scopes of a key issued without naming any.
func Default() []Scope {
	return []Scope{ReadCampaigns, ReadInterviewsMetadata, ReadSynthesis}
}

// All returns every scope, the default ones first.
func All() []Scope {
	return append(Default(),
		ReadTranscripts, ReadCustomerIdentity, ReadRawExtraction, ReadCustomExtraction, ExportData)
}

// Known reports whether the contract has a scope.
func (s Scope) Known() bool { return slices.Contains(All(), s) }

// Names are the scopes as texts.
func Names(scopes []Scope) []string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return names
}

// Caller is the sender of a request: a key, and the one client it belongs to.
type Caller struct {
	ClientID uuid.UUID
	KeyID    uuid.UUID
	Scopes   []Scope
}

// Has reports whether the caller's key has a scope.
func (c Caller) Has(s Scope) bool { return slices.Contains(c.Scopes, s) }

// Equal reports whether both are the same key with the same scopes.
func (c Caller) Equal(other Caller) bool {
	return c.ClientID == other.ClientID && c.KeyID == other.KeyID && slices.Equal(c.Scopes, other.Scopes)
}

type callerKey struct{}

// WithCaller puts the caller into the context, to pass generated code.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the context's caller. Without one it is anonymous: its client has no
// rows, and its key no scope.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

package auth

import (
	"context"
	"slices"
	"testing"

	"github.com/google/uuid"
)

func TestCaller_HasTheScopesOfTheKeyAlone(t *testing.T) {
	caller := Caller{ClientID: uuid.New(), KeyID: uuid.New(), Scopes: []Scope{ReadInterviewsMetadata, ReadTranscripts}}
	for _, scope := range All() {
		if want := slices.Contains(caller.Scopes, scope); caller.Has(scope) != want {
			t.Errorf("%s: %v, want %v", scope, caller.Has(scope), want)
		}
	}
}

// Whoever forgets to authenticate reads nothing.
func TestCallerFrom_WithoutACallerIsAnonymous(t *testing.T) {
	none := CallerFrom(context.Background())
	if none.ClientID != uuid.Nil || slices.ContainsFunc(All(), none.Has) {
		t.Errorf("a context without a caller is %+v", none)
	}
	caller := Caller{ClientID: uuid.New(), KeyID: uuid.New(), Scopes: Default()}
	if got := CallerFrom(WithCaller(context.Background(), caller)); !got.Equal(caller) {
		t.Errorf("the caller is %+v, want %+v", got, caller)
	}
}

func TestCaller_EqualIsTheSameKeyAndScopes(t *testing.T) {
	one := Caller{ClientID: uuid.New(), KeyID: uuid.New(), Scopes: Default()}
	for name, change := range map[string]func(*Caller){
		"client": func(c *Caller) { c.ClientID = uuid.New() },
		"key":    func(c *Caller) { c.KeyID = uuid.New() },
		"scopes": func(c *Caller) { c.Scopes = All() },
	} {
		other := one
		change(&other)
		if one.Equal(other) {
			t.Errorf("another %s is equal", name)
		}
	}
}

// What shows people, their words or whole tables is granted by name only.
func TestDefault_GrantsNoPersonalData(t *testing.T) {
	for _, scope := range []Scope{ReadTranscripts, ReadCustomerIdentity, ReadRawExtraction, ReadCustomExtraction, ExportData} {
		if slices.Contains(Default(), scope) || !scope.Known() {
			t.Errorf("%s is granted by default, or unknown", scope)
		}
	}
	if Scope("read:everything").Known() {
		t.Error("a scope that the contract does not have is known")
	}
}

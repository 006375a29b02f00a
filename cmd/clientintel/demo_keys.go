package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/demodata"
)

// demoKey is one mix of scopes that the demo shows.
type demoKey struct {
	name   string
	scopes []auth.Scope
}

func demoKeys() []demoKey {
	return []demoKey{
		{"demo: default scopes", auth.Default()},
		{"demo: every scope", auth.All()},
		{"demo: campaigns only", []auth.Scope{auth.ReadCampaigns}},
		{"demo: transcripts", append(auth.Default(), auth.ReadTranscripts)},
		{"demo: identity and daily feed", append(auth.Default(), auth.ReadCustomerIdentity)},
		{"demo: search", append(auth.Default(), auth.ReadCustomExtraction)},
	}
}

// issuedDemoKey is a key to show, and whose it is.
type issuedDemoKey struct {
	brand demodata.Brand
	demoKey
	key string
}

// demoKeysFile keeps the demo's keys by brand and name: what is invented needs no
// secrecy, and pasted lines go on working. No other key is kept anywhere.
const demoKeysFile = "demo-keys.json"

// issueDemoKeys returns the keys of an earlier run that are still in force, and
// issues the others. anew replaces all.
func issueDemoKeys(ctx context.Context, registry *apikey.Registry, dir string, anew bool) ([]issuedDemoKey, error) {
	file := filepath.Join(dir, demoKeysFile)
	kept := map[string]string{}
	if text, err := os.ReadFile(file); err == nil && !anew {
		_ = json.Unmarshal(text, &kept) // a file that cannot be read keeps nothing
	}
	listed, err := registry.List(ctx, "")
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, k := range listed {
		if k.RevokedAt != nil || !strings.HasPrefix(k.Name, "demo: ") {
			continue
		}
		name := k.ClientID.String() + " " + k.Name
		token, _ := apikey.ParseToken(kept[name])
		if token.Prefix == k.Prefix && slices.Equal(k.Scopes, scopesOf(k.Name)) {
			texts[name] = kept[name]
		} else if _, err := registry.Revoke(ctx, k.Prefix); err != nil {
			return nil, err
		}
	}
	var issued []issuedDemoKey
	for _, b := range demodata.Brands() {
		for _, k := range demoKeys() {
			name := b.ID.String() + " " + k.name
			if texts[name] == "" {
				one, err := registry.Issue(ctx, apikey.Request{Client: b.ID.String(), Name: k.name, Scopes: k.scopes})
				if err != nil {
					return nil, err
				}
				texts[name] = one.Key
			}
			issued = append(issued, issuedDemoKey{brand: b, demoKey: k, key: texts[name]})
		}
	}
	text, err := json.MarshalIndent(texts, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keeping the demo's keys: %w", err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, fmt.Errorf("keeping the demo's keys: %w", err)
	}
	return issued, nil
}

// scopesOf are the scopes of the demo's key of this name.
func scopesOf(name string) []string {
	for _, k := range demoKeys() {
		if k.name == name {
			return strings.Split(joinScopes(k.scopes), ",")
		}
	}
	return nil
}

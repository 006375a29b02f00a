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

// demoKey is a key that the demo shows.
type demoKey struct {
	name   string
	scopes []auth.Scope
	brand  demodata.Brand
	key    string
}

// demoKeys are keys of each brand, for mixes of scopes.
func demoKeys() []demoKey {
	var keys []demoKey
	for _, b := range demodata.Brands() {
		keys = append(keys,
			demoKey{name: "demo: default scopes", brand: b, scopes: auth.Default()},
			demoKey{name: "demo: every scope", brand: b, scopes: auth.All()},
			demoKey{name: "demo: campaigns only", brand: b, scopes: []auth.Scope{auth.ReadCampaigns}},
			demoKey{name: "demo: transcripts", brand: b, scopes: append(auth.Default(), auth.ReadTranscripts)},
			demoKey{name: "demo: identity and daily feed", brand: b, scopes: append(auth.Default(), auth.ReadCustomerIdentity)},
			demoKey{name: "demo: search", brand: b, scopes: append(auth.Default(), auth.ReadCustomExtraction)},
		)
	}
	return keys
}

// demoKeysFile stores the demo's keys by brand and name, so that pasted lines go on
// working: invented data needs no secrecy. No other key is stored.
const demoKeysFile = "demo-keys.json"

// issueDemoKeys returns the keys of an earlier run that are still in force, and issues
// the others; all if anew is set.
func issueDemoKeys(ctx context.Context, registry *apikey.Registry, dir string, anew bool) ([]demoKey, error) {
	file := filepath.Join(dir, demoKeysFile)
	kept := map[string]string{}
	if text, err := os.ReadFile(file); err == nil && !anew {
		_ = json.Unmarshal(text, &kept) // a file that cannot be read keeps nothing
	}
	listed, err := registry.List(ctx, "", nil)
	if err != nil {
		return nil, err
	}
	keys := demoKeys()
	for _, l := range listed {
		if l.RevokedAt != nil || !strings.HasPrefix(l.Name, "demo: ") {
			continue
		}
		text := kept[l.ClientID.String()+" "+l.Name]
		token, _ := apikey.ParseToken(text)
		n := slices.IndexFunc(keys, func(k demoKey) bool {
			return k.brand.ID == l.ClientID && k.name == l.Name && joinScopes(k.scopes) == strings.Join(l.Scopes, ",")
		})
		if n >= 0 && token.Prefix == l.Prefix {
			keys[n].key = text
		} else if _, err := registry.Revoke(ctx, apikey.Named{Key: l.Prefix}, apikey.By{}); err != nil {
			return nil, err
		}
	}
	texts := map[string]string{}
	for n, k := range keys {
		if k.key == "" {
			issued, err := registry.Issue(ctx, apikey.Request{Client: k.brand.ID.String(), Name: k.name, Scopes: k.scopes}, apikey.By{})
			if err != nil {
				return nil, err
			}
			keys[n].key = issued.Key
		}
		texts[k.brand.ID.String()+" "+k.name] = keys[n].key
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
	return keys, nil
}

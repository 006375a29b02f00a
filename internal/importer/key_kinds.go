package importer

import (
	"context"
	"encoding/hex"
	"regexp"
	"slices"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
)

// allKinds are also what a client's keys need to go on working in another database. Those
// are read only where the operator says so: whoever can write them can mint keys.
var allKinds = slices.Concat(kinds, []*kind{apiKeyKind, requestLogKind})

var apiKeyKind = &kind{
	name: "api_key", withArticle: "an api_key", table: "api_keys", idField: "id",
	columns: []column{
		requiredField("client_id", uuidType),
		requiredField("id", uuidType),
		requiredField("prefix", prefixType),
		requiredField("name", nonEmptyTextType),
		requiredField("secret_hash", hashBytesType),
		requiredField("scopes", scopesType),
		requiredField("created_at", timestampType),
		nullableField("expires_at", timestampType),
		nullableField("revoked_at", timestampType),
		nullableField("last_used_at", timestampType),
	},
}

// A key's place in its window is where its rows of the last hour say. They have no
// id: key, time and number are one.
var requestLogKind = &kind{
	name: "request_log", withArticle: "a request_log", table: "request_log", idField: "key_id",
	columns: []column{
		requiredField("client_id", uuidType),
		requiredField("key_id", uuidType),
		requiredField("at", timestampType),
		requiredField("seq", countType),
		requiredField("route", textType),
	},
}

func (k *kind) ofKeys() bool { return k == apiKeyKind || k == requestLogKind }

var (
	prefixType = textOf("12 letters and digits", regexp.MustCompile(`^[0-9A-Za-z]{12}$`).Match)

	hashBytesType = private(textual(hashType.description, func(text []byte) ([]byte, bool) {
		decoded, err := hex.DecodeString(string(text))
		return decoded, err == nil && hash.Match(text)
	}))

	scopesType = listOf("a list of scopes", "a scope", func(text []byte) (string, bool) {
		return string(text), auth.Scope(text).Known()
	})
)

// mergeAPIKeys moves staged keys to where they belong, at the end, when their clients
// are there. A key that exists is only ended, never brought back or widened.
func (w *writer) mergeAPIKeys(ctx context.Context) error {
	lines := w.decoder.counts[apiKeyKind]
	if lines == 0 {
		return nil // an importer may not read keys
	}
	merge := func(ctx context.Context) error {
		done, err := w.queries.MergeAPIKeys(ctx, apikey.Account())
		*w.count(apiKeyKind) = KindSummary{Kind: apiKeyKind.name, Added: done.Added, Changed: done.Changed, Unchanged: lines - done.Added - done.Changed}
		return err
	}
	return inOrder(ctx, w.queries.ListImportedAPIKeys, w.queries.LockKeysOfImportedClients,
		w.refuse(db.FindKeysOfNoClient), w.refuse(db.FindChangedKeys), w.queries.KeepRevoked, w.refuse(db.FindKeysOfOtherScopes),
		merge, w.refuse(db.FindTooManyKeys, apikey.MaxInForce))
}

// mergeRequestLog moves staged log rows, when their keys are there.
func (w *writer) mergeRequestLog(ctx context.Context) error {
	lines := w.decoder.counts[requestLogKind]
	if lines == 0 {
		return nil
	}
	merge := func(ctx context.Context) error {
		added, err := w.queries.MergeRequestLog(ctx)
		*w.count(requestLogKind) = KindSummary{Kind: requestLogKind.name, Added: added, Unchanged: lines - added}
		return err
	}
	return inOrder(ctx, w.queries.ListImportedLog, w.refuse(db.FindLogOfNoKey), w.queries.LockImportedKeys, w.refuse(db.FindLogOfUsedKeys), merge)
}

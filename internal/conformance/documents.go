package conformance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"

	"github.com/clientintel/clientintel/openapi"
)

// checkDocuments reads the public documents.
func (r *run) checkDocuments(ctx context.Context) {
	for _, name := range []string{"openapi.json", "bi-guide.md", "agent-guide.md"} {
		r.check("documents/"+name, nil, func() error {
			res, err := r.get(ctx, nil, "/"+name)
			if err != nil {
				return err
			}
			if err := res.want(http.StatusOK); err != nil || name != "openapi.json" {
				return err
			}
			return compareServed(res.body)
		})
	}
}

// compareServed compares a served contract, except for the server's address, with
// the program's own.
func compareServed(served []byte) error {
	var theirs, ours map[string]any
	if err := errors.Join(json.Unmarshal(served, &theirs), json.Unmarshal(openapi.JSON(), &ours)); err != nil {
		return fmt.Errorf("reading the served contract: %w", err)
	}
	delete(theirs, "servers")
	delete(ours, "servers")
	if at := firstDifference("", ours, theirs); at != "" {
		return fmt.Errorf("the served contract differs from this program's at %s: are they of one release?", at)
	}
	return nil
}

// firstDifference is the JSON pointer of the first difference, in the order of names.
func firstDifference(at string, a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	left, isObject := a.(map[string]any)
	right, areObjects := b.(map[string]any)
	if !isObject || !areObjects {
		return cmp.Or(at, "/")
	}
	either := maps.Clone(left)
	maps.Copy(either, right)
	for _, name := range slices.Sorted(maps.Keys(either)) {
		l, inLeft := left[name]
		r, inRight := right[name]
		if !inLeft || !inRight {
			return at + "/" + name
		}
		if where := firstDifference(at+"/"+name, l, r); where != "" {
			return where
		}
	}
	return ""
}

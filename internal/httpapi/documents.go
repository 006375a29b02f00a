package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/clientintel/clientintel/openapi"
)

// document is a public file: no key, no limit, any origin.
type document struct {
	name        string
	contentType string
	body        []byte
	etag        string
}

func publicDocuments(publicURL string) ([]document, error) {
	contract, err := openapi.JSONAt(publicURL)
	if err != nil {
		return nil, err
	}
	const markdown = "text/markdown; charset=utf-8"
	return []document{
		newDocument("openapi.json", "application/json", contract),
		newDocument("bi-guide.md", markdown, openapi.BIGuide(publicURL)),
		newDocument("agent-guide.md", markdown, openapi.AgentGuide(publicURL)),
	}, nil
}

func newDocument(name, contentType string, body []byte) document {
	sum := sha256.Sum256(body)
	return document{name: name, contentType: contentType, body: body, etag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// ServeHTTP answers GET and HEAD, and 304 to who has it already. Query strings
// are ignored.
func (d document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	exchangeFrom(r.Context()).operation = d.name
	h := w.Header()
	h.Set("Content-Type", d.contentType)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, X-Request-Id")
	h.Set("ETag", d.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"time"

	"github.com/clientintel/clientintel/internal/apidocs"
	"github.com/clientintel/clientintel/openapi"
)

// document is a public file, served without a key and without a rate limit.
type document struct {
	path        string
	contentType string
	body        []byte
	etag        string
	// page says that people open it in a browser. Programs of any origin may fetch
	// the others.
	page bool
}

func publicDocuments(publicURL string) ([]document, error) {
	contract, err := openapi.JSONAt(publicURL)
	if err != nil {
		return nil, err
	}
	files, err := apidocs.Files(publicURL)
	if err != nil {
		return nil, err
	}
	const markdown = "text/markdown; charset=utf-8"
	documents := []document{
		newDocument(Prefix+"/openapi.json", "application/json", contract),
		newDocument(Prefix+"/bi-guide.md", markdown, openapi.BIGuide(publicURL)),
		newDocument(Prefix+"/agent-guide.md", markdown, openapi.AgentGuide(publicURL)),
	}
	for _, f := range files {
		d := newDocument(f.Path, f.ContentType, f.Body)
		d.page = f.Page
		documents = append(documents, d)
	}
	return documents, nil
}

func newDocument(path, contentType string, body []byte) document {
	sum := sha256.Sum256(body)
	return document{path: path, contentType: contentType, body: body, etag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// ServeHTTP answers GET and HEAD, and 304 to a matching If-None-Match. Query
// strings are ignored.
func (d document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	recordFrom(r.Context()).operation = path.Base(d.path)
	h := w.Header()
	h.Set("Content-Type", d.contentType)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", d.etag)
	if d.page {
		h.Set("Content-Security-Policy", apidocs.Policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
	} else {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag, X-Request-Id")
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/apidocs"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/web"
	"github.com/clientintel/clientintel/openapi"
)

// document is a public file.
type document struct {
	path        string
	contentType string
	body        []byte
	etag        string
	// isHTMLPage is set if people open it in a browser; other documents may be fetched
	// from any origin.
	isHTMLPage bool
}

// Documents are the public files.
type Documents []document

// New makes them, with addresses below the public URL; docs adds the pages.
func New(publicURL string, docs bool) (Documents, error) {
	contract, err := openapi.JSONAt(publicURL)
	if err != nil {
		return nil, err
	}
	markdown := web.ContentType(".md")
	documents := Documents{
		newDocument(middleware.Prefix+"/openapi.json", "application/json", contract),
		newDocument(middleware.Prefix+"/bi-guide.md", markdown, openapi.BIGuide(publicURL)),
		newDocument(middleware.Prefix+"/agent-guide.md", markdown, openapi.AgentGuide(publicURL)),
	}
	if !docs {
		return documents, nil
	}
	older, err := openapi.JSON30At(publicURL)
	if err != nil {
		return nil, err
	}
	documents = append(documents, newDocument("/docs/openapi-3.0.json", "application/json", older))
	files, err := apidocs.Files(publicURL)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		d := newDocument(f.Path, f.ContentType, f.Body)
		d.isHTMLPage = f.IsHTMLPage
		documents = append(documents, d)
	}
	for _, f := range web.Explorer() {
		d := newDocument("/explore/"+f.Path, f.ContentType, f.Body)
		if f.Path == "index.html" {
			d.path = "/explore"
		}
		d.isHTMLPage = true
		documents = append(documents, d)
	}
	return documents, nil
}

func newDocument(path, contentType string, body []byte) document {
	sum := sha256.Sum256(body)
	return document{path: path, contentType: contentType, body: body, etag: hex.EncodeToString(sum[:16])}
}

// Routes adds the documents to a router.
func (ds Documents) Routes(r chi.Router) {
	for _, d := range ds {
		serve := middleware.Named(path.Base(d.path), d)
		r.Method(http.MethodGet, d.path, serve)
		r.Method(http.MethodHead, d.path, serve)
	}
}

// ServeHTTP answers GET and HEAD, and 304 to a matching If-None-Match. Query strings,
// ranges and other conditions are ignored.
func (d document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", d.contentType)
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", strconv.Quote(d.etag)) // compression adds a suffix
	if d.isHTMLPage {
		protect(h)
	} else {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag, X-Request-Id")
	}
	if own := d.etagFor(r.Header); matches(r.Header, own) {
		h.Set("ETag", own)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(d.body)))
	_, _ = w.Write(d.body) // a caller that left
}

// protect keeps other origins out of a page that takes a key.
func protect(h http.Header) {
	h.Set("Content-Security-Policy", web.Policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// NotFound answers for a path that has no route. Where the pages are served, a slash too
// many leads to the page, and below /docs people get a page; programs get the JSON.
func (ds Documents) NotFound(w http.ResponseWriter, r *http.Request) {
	requested := r.URL.EscapedPath()
	trimmed := strings.TrimRight(requested, "/")
	has := func(wanted string) bool {
		return slices.ContainsFunc(ds, func(d document) bool { return d.isHTMLPage && d.path == wanted })
	}
	switch {
	case trimmed != requested && has(trimmed) && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		// Relative, so that it is right under any path that a proxy adds.
		to := strings.Repeat("../", len(requested)-len(trimmed)) + path.Base(trimmed)
		if r.URL.RawQuery != "" {
			to += "?" + r.URL.RawQuery
		}
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusMovedPermanently)
	case strings.HasPrefix(requested, "/docs/") && has("/docs"):
		protect(w.Header())
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(apidocs.Missing(strings.Count(requested, "/") - 1)) //nolint:gosec // only the number of slashes is the caller's; an error is a caller that left
	default:
		middleware.WriteError(w, r, apierror.NotFound)
	}
}

// etagFor is the ETag of the response to a request: a strong one names bytes, so each
// encoding has its own.
func (d document) etagFor(h http.Header) string {
	if middleware.Compresses(d.contentType, len(d.body)) && acceptsGzip(h) {
		return strconv.Quote(d.etag + "-gzip")
	}
	return strconv.Quote(d.etag)
}

// matches reports whether If-None-Match names an ETag.
func matches(h http.Header, etag string) bool {
	for tag := range strings.SplitSeq(strings.Join(h.Values("If-None-Match"), ","), ",") {
		if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == etag || tag == "*" {
			return true
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding. A weight of q=0 refuses.
func acceptsGzip(h http.Header) bool {
	for offer := range strings.SplitSeq(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
		name, parameter, _ := strings.Cut(offer, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		_, weight, weighted := strings.Cut(parameter, "=")
		q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
		return !weighted || err == nil && q > 0
	}
	return false
}

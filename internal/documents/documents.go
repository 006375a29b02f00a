package documents

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/apidocs"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/web"
	"github.com/clientintel/clientintel/openapi"
)

// Documents are the public files.
type Documents []web.File

// New makes them, with addresses below the public URL; docs adds the pages.
func New(publicURL string, docs bool) (Documents, error) {
	contract, err := openapi.JSONAt(publicURL)
	if err != nil {
		return nil, err
	}
	const isJSON = "application/json"
	markdown := web.ContentType(".md")
	documents := Documents{
		{Path: middleware.Prefix + "/openapi.json", ContentType: isJSON, Body: contract},
		{Path: middleware.Prefix + "/bi-guide.md", ContentType: markdown, Body: openapi.BIGuide(publicURL)},
		{Path: middleware.Prefix + "/agent-guide.md", ContentType: markdown, Body: openapi.AgentGuide(publicURL)},
	}
	if !docs {
		return documents, nil
	}
	older, err := openapi.JSON30At(publicURL)
	if err != nil {
		return nil, err
	}
	pages, err := apidocs.Files(publicURL)
	if err != nil {
		return nil, err
	}
	documents = append(documents, web.File{Path: "/docs/openapi-3.0.json", ContentType: isJSON, Body: older})
	return slices.Concat(documents, pages, web.Explorer()), nil
}

// forPages keeps other origins out of a page that takes a key.
var forPages = map[string]string{
	"Content-Security-Policy":      web.Policy,
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// Routes adds the documents to a router.
func (ds Documents) Routes(r chi.Router) {
	for _, d := range ds {
		header := map[string]string{"Cache-Control": "public, max-age=300"}
		if d.IsPage {
			maps.Copy(header, forPages)
		} else {
			header["Access-Control-Allow-Origin"], header["Access-Control-Expose-Headers"] = "*", "ETag, X-Request-Id"
		}
		Serve(r, path.Base(d.Path), d, header)
	}
}

// NotFound answers for a path that has no route. Where the pages are served, a slash too
// many leads to the page, and below /docs people get a page; programs get the JSON.
func (ds Documents) NotFound(w http.ResponseWriter, r *http.Request) {
	requested := r.URL.EscapedPath()
	trimmed := strings.TrimRight(requested, "/")
	has := func(wanted string) bool {
		return slices.ContainsFunc(ds, func(d web.File) bool { return d.IsPage && d.Path == wanted })
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
		for name, value := range forPages {
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write(apidocs.Missing(strings.Count(requested, "/") - 1)) //nolint:gosec // only the number of slashes is the caller's; an error is a caller that left
	default:
		middleware.WriteError(w, r, apierror.NotFound)
	}
}

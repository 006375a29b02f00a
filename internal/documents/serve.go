package documents

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/web"
)

// Serve adds a file to a router, for GET and HEAD, with a header and a name for the log. A
// matching If-None-Match gets 304. Query strings, ranges and other conditions are ignored.
func Serve(r chi.Router, name string, f web.File, header map[string]string) {
	hash := fmt.Sprintf(`"%x"`, sha256.Sum256(f.Body))
	serve := middleware.Named(name, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		for name, value := range header {
			h.Set(name, value)
		}
		h.Set("Content-Type", f.ContentType)
		h.Set("ETag", "W/"+hash) // weak, as it is sent compressed too
		for tag := range strings.SplitSeq(strings.Join(r.Header.Values("If-None-Match"), ","), ",") {
			if tag = strings.TrimPrefix(strings.TrimSpace(tag), "W/"); tag == hash || tag == "*" {
				w.WriteHeader(http.StatusNotModified)
				return
			}
		}
		h.Set("Content-Length", strconv.Itoa(len(f.Body)))
		_, _ = w.Write(f.Body) // a caller that left
	}))
	r.Method(http.MethodGet, f.Path, serve)
	r.Method(http.MethodHead, f.Path, serve)
}

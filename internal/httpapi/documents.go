package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/clientintel/clientintel/internal/apidocs"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/openapi"
)

// document is a public file, served without a key and without a rate limit.
type document struct {
	path        string
	contentType string
	// compressed is the body in gzip, the only form that is kept: most requests accept it.
	compressed []byte
	etag       string
	// isHTMLPage is set if people open it in a browser; other documents may be fetched
	// from any origin.
	isHTMLPage bool
}

func publicDocuments(publicURL string, docs bool) ([]document, error) {
	contract, err := openapi.JSONAt(publicURL)
	if err != nil {
		return nil, err
	}
	const markdown = "text/markdown; charset=utf-8"
	compressor := gzip.NewWriter(nil) // one for all: it takes a megabyte
	documents := []document{
		newDocument(compressor, Prefix+"/openapi.json", "application/json", contract),
		newDocument(compressor, Prefix+"/bi-guide.md", markdown, openapi.BIGuide(publicURL)),
		newDocument(compressor, Prefix+"/agent-guide.md", markdown, openapi.AgentGuide(publicURL)),
	}
	if !docs {
		return documents, nil
	}
	files, err := apidocs.Files(publicURL)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		d := newDocument(compressor, f.Path, f.ContentType, f.Body)
		d.isHTMLPage = f.IsHTMLPage
		documents = append(documents, d)
	}
	return documents, nil
}

func newDocument(compressor *gzip.Writer, path, contentType string, body []byte) document {
	sum := sha256.Sum256(body)
	var compressed bytes.Buffer
	compressor.Reset(&compressed)
	_, _ = compressor.Write(body) // a buffer takes everything
	_ = compressor.Close()
	return document{
		path: path, contentType: contentType, compressed: slices.Clone(compressed.Bytes()), etag: hex.EncodeToString(sum[:16]),
	}
}

func (d document) body() ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(d.compressed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// ServeHTTP answers GET and HEAD, and 304 to a matching If-None-Match. Query
// strings are ignored. A strong ETag names bytes, so each encoding has its own.
func (d document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", d.contentType)
	h.Set("Cache-Control", "public, max-age=300")
	body, etag := d.compressed, d.etag+"-gzip"
	h.Set(gzhttp.HeaderNoCompression, "") // the middleware would compress it under the same ETag
	if acceptsGzip(r.Header) {
		h.Set("Content-Encoding", "gzip")
	} else {
		var err error
		if body, err = d.body(); err != nil {
			writeError(w, r, apierror.Internal(err))
			return
		}
		etag = d.etag
	}
	h.Set("ETag", strconv.Quote(etag))
	if d.isHTMLPage {
		h.Set("Content-Security-Policy", apidocs.Policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
	} else {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag, X-Request-Id")
	}
	// Of the headers that ServeContent reads, dropUnusedHeaders keeps only those of a 304:
	// its 206, 412 and 416 are no error envelopes.
	http.ServeContent(withoutRanges{w}, r, "", time.Time{}, bytes.NewReader(body))
}

// withoutRanges removes Accept-Ranges: ranges are not served.
type withoutRanges struct{ http.ResponseWriter }

func (w withoutRanges) WriteHeader(status int) {
	w.Header().Del("Accept-Ranges")
	w.ResponseWriter.WriteHeader(status)
}

// acceptsGzip reads Accept-Encoding. A weight of q=0 refuses.
func acceptsGzip(h http.Header) bool {
	for _, offer := range strings.Split(strings.Join(h.Values("Accept-Encoding"), ","), ",") {
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

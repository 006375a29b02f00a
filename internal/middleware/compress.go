package middleware

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// MinCompressed is the size from which a response is compressed.
const MinCompressed = 1400

// Compress compresses large responses where the caller accepts it. Level 1 costs a
// quarter of the standard library's default. Each encoding of a public document has an
// ETag of its own.
func Compress() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(gzhttp.MinSize(MinCompressed), gzhttp.CompressionLevel(1), gzhttp.SuffixETag("-gzip"), gzhttp.EnableZstd(false))
}

// Compresses reports whether a body of this type and size is compressed for a caller that
// accepts it.
func Compresses(contentType string, size int) bool {
	return size >= MinCompressed && gzhttp.DefaultContentTypeFilter(contentType)
}

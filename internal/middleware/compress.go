package middleware

import (
	"net/http"

	"github.com/klauspost/compress/gzhttp"
)

// minCompressed is the size from which a response is compressed.
const minCompressed = 1400

// Compress compresses large responses where the caller accepts it. Level 1 costs a
// quarter of the standard library's default.
func Compress() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(gzhttp.MinSize(minCompressed), gzhttp.CompressionLevel(1), gzhttp.EnableZstd(false))
}

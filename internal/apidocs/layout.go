package apidocs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// layout is what every page needs beside its text.
type layout struct {
	// Assets leads from the page to its script and style, Root to the server's root.
	Assets, Root string
	// Build identifies this build's script and style, so that no cache mixes two.
	Build string
}

// assetFiles are the files that pages load, and a name for this set of them.
func assetFiles() ([]File, string, error) {
	files := []File{
		{Path: docsPath + "/page.js", ContentType: "text/javascript; charset=utf-8"},
		{Path: docsPath + "/page.css", ContentType: "text/css; charset=utf-8"},
		{Path: docsPath + "/icon.svg", ContentType: "image/svg+xml"},
	}
	sum := sha256.New()
	for i, file := range files {
		body, err := assets.ReadFile("assets" + file.Path[len(docsPath):])
		if err != nil {
			return nil, "", fmt.Errorf("reading the page's files: %w", err)
		}
		files[i].Body, files[i].Page = body, true
		sum.Write(body)
	}
	return files, hex.EncodeToString(sum.Sum(nil)[:6]), nil
}

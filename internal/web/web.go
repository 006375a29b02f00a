package web

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed assets explore console
var embedded embed.FS

// Policy is the Content-Security-Policy of the pages. Scripts and styles come only from
// this server's files, forms are sent only by script, and no other page may frame one that
// takes keys.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// File is a file to serve.
type File struct {
	// Path is its URL below the page's own folder, such as assets/base.css.
	Path        string
	ContentType string
	Body        []byte
}

var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".json": "application/json", ".txt": "text/plain; charset=utf-8", ".md": "text/markdown; charset=utf-8",
	".whl": "application/zip", ".zip": "application/zip", ".tgz": "application/gzip", ".info": "application/json", ".ipynb": "application/x-ipynb+json",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}

// ContentType is that of a file of this name: plain text where the ending tells nothing.
func ContentType(name string) string {
	return cmp.Or(contentTypes[path.Ext(name)], contentTypes[".txt"])
}

// Assets are the files that all pages share. A page refers to them as assets/….
func Assets() []File { return files(embedded, "assets", "assets/") }

// Explorer is the page of a brand's numbers, and its files: the page itself is index.html.
func Explorer() []File { return append(files(embedded, "explore", ""), Assets()...) }

// Console is the developer page and its files; the address of the client API takes the
// place of {{api}} in index.html.
func Console() []File { return append(files(embedded, "console", ""), Assets()...) }

func files(from fs.FS, folder, prefix string) []File {
	names, err := fs.Glob(from, folder+"/*.*")
	if err != nil {
		panic(err) // a wrong pattern
	}
	found := make([]File, 0, len(names))
	for _, name := range names {
		body, err := fs.ReadFile(from, name)
		if err != nil {
			panic(err) // an embedded file is always readable
		}
		found = append(found, File{Path: prefix + strings.TrimPrefix(name, folder+"/"), ContentType: ContentType(name), Body: body})
	}
	return found
}

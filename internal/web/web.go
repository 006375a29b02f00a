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
	// Path is the absolute path of its URL.
	Path        string
	ContentType string
	Body        []byte
	// IsPage is set if people open it in a browser, or a page loads it; other files may be
	// fetched from any origin.
	IsPage bool
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

// Assets are the files that all pages share, in assets below a folder: a page refers to
// them as assets/….
func Assets(folder string) []File { return files("assets", folder+"/assets") }

// Explorer is the page of a brand's numbers at /explore, and its files.
func Explorer() []File { return append(files("explore", "/explore"), Assets("/explore")...) }

// Console is the developer page at / and its files; the address of the client API takes the
// place of {{api}} in the page.
func Console() []File { return append(files("console", ""), Assets("")...) }

// files are those of an embedded folder, served below another. An index.html is the folder
// itself.
func files(from, to string) []File {
	names, err := fs.Glob(embedded, from+"/*.*")
	if err != nil {
		panic(err) // a wrong pattern
	}
	found := make([]File, 0, len(names))
	for _, name := range names {
		body, err := embedded.ReadFile(name)
		if err != nil {
			panic(err) // an embedded file is always readable
		}
		f := File{Path: to + strings.TrimPrefix(name, from), ContentType: ContentType(name), Body: body, IsPage: true}
		if path.Base(name) == "index.html" {
			f.Path = cmp.Or(to, "/")
		}
		found = append(found, f)
	}
	return found
}

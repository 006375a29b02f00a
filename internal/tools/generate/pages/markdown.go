package pages

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// heading is an entry of a table of contents.
type heading struct{ Anchor, Title string }

// scrollable lets the keyboard reach what may be wider than the window.
var scrollable = strings.NewReplacer(
	"<pre>", `<pre tabindex="0">`, "<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>")

// render turns our own Markdown into HTML and lists its second-level headings.
// Raw HTML in it is left out.
func render(source string) (template.HTML, []heading, error) {
	markdown := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	)
	from := []byte(source)
	document := markdown.Parser().Parse(text.NewReader(from))
	var headings []heading
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		h, ok := n.(*ast.Heading)
		if !ok || h.Level != 2 {
			continue
		}
		anchor, _ := h.AttributeString("id")
		if id, ok := anchor.([]byte); ok {
			headings = append(headings, heading{Anchor: string(id), Title: string(h.Lines().Value(from))})
		}
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, from, document); err != nil {
		return "", nil, fmt.Errorf("rendering Markdown: %w", err)
	}
	return template.HTML(scrollable.Replace(out.String())), headings, nil //nolint:gosec // the text is ours, and the renderer escapes it
}

package pages

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// section is a heading with the text below it, for tables of contents and the search.
type section struct {
	Anchor, Title, Text string
	Level               int
}

// scrollable lets the keyboard reach a table that is wider than the window.
var scrollable = strings.NewReplacer(
	"<table>", `<div class="scroll" tabindex="0"><table>`, "</table>", "</table></div>")

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeBlocks{}, 0))),
)

// renderMarkdown turns our own Markdown into HTML and lists its sections. Raw HTML in it
// is left out.
func renderMarkdown(source string) (template.HTML, []section, error) {
	from := []byte(source)
	document := markdown.Parser().Parse(text.NewReader(from))
	var sections []section
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		words := textOf(n, from)
		if h, ok := n.(*ast.Heading); ok && h.Level > 1 {
			anchor, _ := h.AttributeString("id")
			id, _ := anchor.([]byte)
			sections = append(sections, section{Anchor: string(id), Title: words, Level: h.Level})
		} else if !ok && len(sections) > 0 {
			sections[len(sections)-1].Text += words + " "
		}
	}
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, from, document); err != nil {
		return "", nil, fmt.Errorf("rendering Markdown: %w", err)
	}
	return template.HTML(scrollable.Replace(out.String())), sections, nil //nolint:gosec // the text is ours, and the renderer escapes it
}

// textOf is what a reader sees of a part of a document.
func textOf(part ast.Node, source []byte) string {
	var words strings.Builder
	_ = ast.Walk(part, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // which fails for no node
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				words.Write(n.Value(source))
				if n.SoftLineBreak() {
					words.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock:
			if entering {
				words.Write(n.Lines().Value(source))
			}
		default:
			if n.Type() == ast.TypeBlock && !entering {
				words.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(words.String()), " ")
}

// codeBlocks renders blocks of code with their parts marked.
type codeBlocks struct{}

func (codeBlocks) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(out util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		code, err := highlight(string(block.Language(source)), string(block.Lines().Value(source)))
		if err != nil {
			return ast.WalkStop, err
		}
		_, err = fmt.Fprintf(out, "<pre tabindex=\"0\"><code>%s</code></pre>\n", code)
		return ast.WalkContinue, err
	})
}

// highlight marks the parts of code by classes; of a language that is unknown, nothing.
func highlight(language, code string) (template.HTML, error) {
	lexer := lexers.Get(language)
	if lexer == nil {
		lexer = lexers.Fallback
	}
	tokens, err := lexer.Tokenise(nil, strings.TrimRight(code, "\n"))
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", language, err)
	}
	var out bytes.Buffer
	err = html.New(html.WithClasses(true), html.PreventSurroundingPre(true)).Format(&out, styles.Fallback, tokens)
	return template.HTML(strings.TrimRight(out.String(), "\n")), err //nolint:gosec // the formatter escapes it
}

package guides_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// block is a fenced block of a guide.
type block struct {
	guide string
	tag   string
	text  string // with a newline at its end
	line  int    // of the opening fence
	after int    // the line of the closing fence
}

func (b block) String() string { return fmt.Sprintf("%s:%d (%s)", b.guide, b.line, b.tag) }

var fileComment = regexp.MustCompile(`^(?:#|--|//) ([a-z_]+\.[a-z]+)\n`)

// file is the name that the reader is told to save the block under, if any: a
// comment in its first line.
func (b block) file() string {
	if m := fileComment.FindStringSubmatch(b.text); m != nil {
		return m[1]
	}
	return ""
}

// blocksOf takes a guide apart into its fenced blocks and its prose, in which
// the lines of blocks are empty.
func blocksOf(guide, markdown string) (blocks []block, prose []string, err error) {
	var open *block
	for i, line := range strings.Split(markdown, "\n") {
		n := i + 1
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence && !strings.HasPrefix(line, "```"):
			return nil, nil, fmt.Errorf("%s:%d: an indented fence", guide, n)
		case fence && open == nil:
			open = &block{guide: guide, tag: strings.TrimPrefix(line, "```"), line: n}
		case fence:
			if line != "```" {
				return nil, nil, fmt.Errorf("%s:%d: a block begins inside the block of line %d", guide, n, open.line)
			}
			open.after = n
			blocks = append(blocks, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		default:
			prose = append(prose, line)
			continue
		}
		prose = append(prose, "")
	}
	if open != nil {
		return nil, nil, fmt.Errorf("%s:%d: the block never ends", guide, open.line)
	}
	return blocks, prose, nil
}

func TestBlocksOf_SeesEveryBlock(t *testing.T) {
	t.Parallel()
	blocks, prose, err := blocksOf("g.md", "one\n```python\n# client.py\nx = 1\n```\ntwo\n```text\n1\n```\n")
	if err != nil || len(blocks) != 2 {
		t.Fatalf("got %v, %v; want two blocks", blocks, err)
	}
	want := block{guide: "g.md", tag: "python", text: "# client.py\nx = 1\n", line: 2, after: 5}
	if blocks[0] != want || blocks[0].file() != "client.py" {
		t.Errorf("got %+v, saved as %q; want %+v, saved as client.py", blocks[0], blocks[0].file(), want)
	}
	if blocks[1].tag != "text" || blocks[1].file() != "" {
		t.Errorf("got %+v, saved as %q; want the text block, saved as nothing", blocks[1], blocks[1].file())
	}
	if got := strings.Join(prose, "|"); got != "one||||"+"|two||||" {
		t.Errorf("the prose is %q", got)
	}
	for _, broken := range []string{"```sh\nls\n", " ```sh\nls\n ```\n", "```sh\n```sh\n```\n"} {
		if _, _, err := blocksOf("g.md", broken); err == nil {
			t.Errorf("%q was taken for whole blocks", broken)
		}
	}
}

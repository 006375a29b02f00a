package guides_test

import (
	"fmt"
	"strings"
	"testing"
)

// block is a fenced block of a guide.
type block struct {
	guide string
	tag   string
	text  string // with a newline at its end
	line  int    // of the opening fence
}

func (b block) String() string { return fmt.Sprintf("%s:%d (%s)", b.guide, b.line, b.tag) }

// blocksOf returns a guide's fenced blocks.
func blocksOf(guide, markdown string) ([]block, error) {
	var blocks []block
	var open *block
	for i, line := range strings.Split(markdown, "\n") {
		switch fence := strings.HasPrefix(strings.TrimSpace(line), "```"); {
		case fence && !strings.HasPrefix(line, "```"):
			return nil, fmt.Errorf("%s:%d: an indented fence", guide, i+1)
		case fence && open == nil:
			open = &block{guide: guide, tag: strings.TrimPrefix(line, "```"), line: i + 1}
		case fence && line != "```":
			return nil, fmt.Errorf("%s:%d: a block begins inside the block of line %d", guide, i+1, open.line)
		case fence:
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	if open != nil {
		return nil, fmt.Errorf("%s:%d: the block never ends", guide, open.line)
	}
	return blocks, nil
}

func TestBlocksOf_SeesEveryBlock(t *testing.T) {
	t.Parallel()
	blocks, err := blocksOf("g.md", "one\n```python\nx = 1\n```\ntwo\n```text\n1\n```\n")
	if err != nil || len(blocks) != 2 {
		t.Fatalf("got %v, %v; want two blocks", blocks, err)
	}
	if want := (block{guide: "g.md", tag: "python", text: "x = 1\n", line: 2}); blocks[0] != want {
		t.Errorf("got %+v, want %+v", blocks[0], want)
	}
	if want := (block{guide: "g.md", tag: "text", text: "1\n", line: 6}); blocks[1] != want {
		t.Errorf("got %+v, want %+v", blocks[1], want)
	}
	for _, broken := range []string{"```sh\nls\n", " ```sh\nls\n ```\n", "```sh\n```sh\n```\n"} {
		if _, err := blocksOf("g.md", broken); err == nil {
			t.Errorf("%q was read as whole blocks", broken)
		}
	}
}

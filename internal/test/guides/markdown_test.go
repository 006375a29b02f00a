package guides_test

import (
	"fmt"
	"strings"
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

package guides_test

import (
	"regexp"
	"strings"
	"testing"
)

var (
	localLink = regexp.MustCompile(`\]\((#[^)]+|\./[^)]+)\)`)
	anyLink   = regexp.MustCompile(`\]\(([^)]*)\)`)
	heading   = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// Links lead somewhere: to a heading of the guide or to a public document.
func TestGuides_EveryLinkLeadsSomewhere(t *testing.T) {
	t.Parallel()
	for guide, markdown := range guideSources() {
		_, prose := mustBlocks(t, guide, markdown)
		text := strings.Join(prose, "\n")
		anchors := map[string]bool{}
		for _, h := range heading.FindAllStringSubmatch(text, -1) {
			anchors["#"+anchorOf(h[1])] = true
		}
		links := anyLink.FindAllStringSubmatch(text, -1)
		if len(links) < 10 {
			t.Errorf("%s: found only %d links", guide, len(links))
		}
		for _, l := range links {
			switch target := l[1]; target {
			case "./openapi.json", "./" + biGuide, "./" + agentGuide:
			default:
				if !localLink.MatchString(l[0]) || !anchors[target] {
					t.Errorf("%s: the link to %q leads nowhere", guide, target)
				}
			}
		}
	}
}

// anchorOf is what Markdown viewers make of a heading.
func anchorOf(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ' || r == '-':
			b.WriteByte('-')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			b.WriteRune(r)
		}
	}
	return b.String()
}

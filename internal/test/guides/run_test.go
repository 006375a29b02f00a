package guides_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
)

func TestBIGuide_EveryBlockDoesWhatTheGuideShows(t *testing.T) {
	t.Parallel()
	srv, _ := startDemo(t)
	w, blocks := runGuide(t, srv, biGuide, "brightlarder", auth.Default()...)
	alsoInPostgreSQL(t, w, blocks)
}

func TestAgentGuide_EveryBlockDoesWhatTheGuideShows(t *testing.T) {
	t.Parallel()
	srv, _ := startDemo(t)
	runGuide(t, srv, agentGuide, "brightlarder", append(auth.Default(), auth.ReadCustomExtraction)...)
}

package guides_test

import (
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
)

func TestBIGuide_EveryBlockDoesWhatTheGuideShows(t *testing.T) {
	t.Parallel()
	srv := startDemo(t)
	runGuide(t, srv, biGuide, srv.KeyFor(t, "brightlarder", auth.Default()...))
}

func TestAgentGuide_EveryBlockDoesWhatTheGuideShows(t *testing.T) {
	t.Parallel()
	srv := startDemo(t)
	runGuide(t, srv, agentGuide, srv.KeyFor(t, "brightlarder", append(auth.Default(), auth.ReadCustomExtraction)...))
}

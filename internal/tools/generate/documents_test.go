package main

import "testing"

// The served contract, the pages at /docs and the demo are what their sources say.
func TestDocuments_AreUpToDate(t *testing.T) {
	t.Chdir("../../..")
	if err := writeDocuments(true); err != nil {
		t.Error(err)
	}
}

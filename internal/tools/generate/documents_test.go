package main

import "testing"

// The served contract and the pages at /docs are what their sources say.
func TestDocuments_AreUpToDate(t *testing.T) {
	t.Chdir("../../..")
	if err := writeDocuments(true); err != nil {
		t.Error(err)
	}
}

package main

import (
	"errors"
	"testing"
)

// The served contract, the pages at /docs and the clients' packages are what their sources say.
func TestDocuments_AreUpToDate(t *testing.T) {
	t.Chdir("../../..")
	if err := errors.Join(writeDocuments(true), writePackages(true)); err != nil {
		t.Error(err)
	}
}

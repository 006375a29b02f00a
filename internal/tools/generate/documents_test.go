package main

import (
	"errors"
	"testing"

	"github.com/clientintel/clientintel/internal/test/check"
)

// The served contract, the pages at /docs and the clients' packages are what their sources say.
func TestDocuments_AreUpToDate(t *testing.T) {
	t.Chdir("../../..")
	check.NoError(t, errors.Join(writeDocuments(true), writePackages(true)))
}

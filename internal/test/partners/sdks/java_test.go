//go:build partners && clientintel_testing

package sdks_test

import (
	"strings"
	"testing"
)

func TestJava(t *testing.T) {
	r := prepare(t)
	folder := t.TempDir()
	copied(t, "java", folder, "pom.xml", "src/main/java/tour/Tour.java")
	r.env = append(r.env, "CONTRACT="+r.contract)
	_, built := r.run(t, folder, "mvn", "--batch-mode", "--no-transfer-progress", "compile")
	explained(t, "java", built)
	printed, _ := r.run(t, folder, "mvn", "--batch-mode", "--quiet", "exec:java")
	// Maven prints codes of a terminal around it.
	begin, end := strings.IndexByte(printed, '{'), strings.LastIndexByte(printed, '}')
	if begin < 0 || end < begin {
		t.Fatalf("no tour: %s", printed)
	}
	r.walked(t, printed[begin:end+1])
}

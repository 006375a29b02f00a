package main

import "testing"

func TestParseVersion_TakesThreePlainNumbers(t *testing.T) {
	t.Parallel()
	for text, whole := range map[string]bool{
		"1.2.0": true, "0.0.0": true, "10.20.30": true,
		"": false, "1.2": false, "1.2.0.0": false, "v1.2.0": false, "1.02.0": false, "1.2.0-rc1": false, "+1.2.0": false, "1.-2.0": false,
	} {
		v, err := parseVersion(text)
		if (err == nil) != whole || whole && v.String() != text {
			t.Errorf("%q: got %s, %v", text, v, err)
		}
	}
}

// 1.10.0 comes after 1.9.0, which names of files do not know.
func TestVersion_ComparesByNumber(t *testing.T) {
	t.Parallel()
	ascending := []version{{1, 2, 0}, {1, 2, 1}, {1, 9, 0}, {1, 10, 0}, {2, 0, 0}, {10, 0, 0}}
	for i, a := range ascending {
		for j, b := range ascending {
			if got := a.compare(b); (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s compared with %s: %d", a, b, got)
			}
		}
	}
}

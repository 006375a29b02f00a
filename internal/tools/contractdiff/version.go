package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// version is that of a contract, three plain numbers.
type version struct{ major, minor, patch uint64 }

func parseVersion(text string) (version, error) {
	var v version
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return v, fmt.Errorf("%q is not MAJOR.MINOR.PATCH", text)
	}
	for i, number := range []*uint64{&v.major, &v.minor, &v.patch} {
		n, err := strconv.ParseUint(parts[i], 10, 32)
		if err != nil || strconv.FormatUint(n, 10) != parts[i] {
			return version{}, fmt.Errorf("%q is not MAJOR.MINOR.PATCH", text)
		}
		*number = n
	}
	return v, nil
}

func (v version) String() string {
	return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch)
}

func (v version) compare(other version) int {
	return cmp.Or(cmp.Compare(v.major, other.major), cmp.Compare(v.minor, other.minor), cmp.Compare(v.patch, other.patch))
}

package importer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// trailerKind is the kind of a file's last line, which says how many precede it.
var trailerKind = &kind{name: "end"}

var lineKinds = slices.Concat(allKinds, []*kind{trailerKind})

// ErrIncomplete is wrapped by the error of an import whose input is empty, or
// does not hold as many lines as expected.
var ErrIncomplete = errors.New("the input is not whole")

// endLine checks the trailer: the lines before it are as many as it says.
func (d *decoder) endLine() error {
	r := &d.record
	given, err := r.only("the trailer", "kind", "lines")
	if err != nil {
		return err
	}
	lines := given["lines"]
	if lines.typ == jsonInvalid {
		return r.refuse("end.lines", "is missing: must be "+countType.description)
	}
	stated, err := strconv.ParseInt(string(lines.text), 10, 64)
	if lines.typ != jsonNumber || err != nil || stated < 0 {
		return r.refuse("end.lines", "must be "+countType.description+", not "+describe(lines))
	}
	if stated != d.records {
		return r.refuse("end.lines", fmt.Sprintf("must be the number of lines before it that are not blank, which is %d, not %d", d.records, stated))
	}
	d.hasTrailer = true
	return nil
}

// checkWhole compares the number of lines with what the caller expects.
func (d *decoder) checkWhole() error {
	switch expected := d.options.ExpectLines; {
	case expected != nil && *expected != d.records:
		return fmt.Errorf("nothing was imported: %w: %d lines were expected, %d were read", ErrIncomplete, *expected, d.records)
	case expected == nil && !d.hasTrailer && d.records == 0:
		return fmt.Errorf("nothing was imported: %w: it is empty, and 0 lines were not expected", ErrIncomplete)
	}
	return nil
}

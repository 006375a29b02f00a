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
// does not hold as many lines as promised.
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
	promised, err := strconv.ParseInt(string(lines.text), 10, 64)
	if lines.typ != jsonNumber || err != nil || promised < 0 {
		return r.refuse("end.lines", "must be "+countType.description+", not "+describe(lines))
	}
	if promised != d.records {
		return r.refuse("end.lines", fmt.Sprintf("must be the number of lines before it that are not blank, which is %d, not %d", d.records, promised))
	}
	d.trailer = true
	return nil
}

// checkWhole holds the file against what the caller promised.
func (d *decoder) checkWhole() error {
	switch promised := d.options.ExpectLines; {
	case promised != nil && *promised != d.records:
		return fmt.Errorf("nothing was imported: %w: %d lines were promised, %d came", ErrIncomplete, *promised, d.records)
	case promised == nil && !d.trailer && d.records == 0:
		return fmt.Errorf("nothing was imported: %w: it is empty, and 0 lines were not promised", ErrIncomplete)
	}
	return nil
}

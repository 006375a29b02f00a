package importer

import (
	"errors"
	"fmt"
	"slices"
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
	lines := requiredField("lines", countType)
	values, err := r.byColumn("the trailer", []column{lines})
	if err != nil {
		return err
	}
	stated, err := r.read(lines, values[0])
	if err != nil {
		return err
	}
	if read := d.records + d.passedOver; stated != read {
		return r.refuse("end.lines", fmt.Sprintf("must be the number of lines before it that are not blank, which is %d, not %d", read, stated))
	}
	d.hasTrailer = true
	return nil
}

// checkWhole refuses bad lines, and compares their number with what the caller expects.
func (d *decoder) checkWhole() error {
	switch expected := d.options.ExpectLines; {
	case !d.mayGoOn(true):
		return d.bad
	case expected != nil && *expected != d.records:
		return fmt.Errorf("%w: %d lines were expected, %d were read", ErrIncomplete, *expected, d.records)
	case expected == nil && !d.hasTrailer && d.records == 0:
		return fmt.Errorf("%w: it is empty, and 0 lines were not expected", ErrIncomplete)
	}
	return nil
}

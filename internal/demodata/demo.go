package demodata

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the corpus
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/clientintel/clientintel/internal/basis"
)

// corpusDays is how far back the dates of the embedded corpus reach.
const corpusDays = 600

//go:embed demo.ndjson.gz
var packed []byte

// AsOf is the instant for which the embedded corpus was generated.
func AsOf() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// DaysMoved is by how many days Demo moves the corpus: the whole days between AsOf
// and now.
func DaysMoved(now time.Time) int { return int(math.Floor(now.Sub(AsOf()).Hours() / 24)) }

// Demo writes the demo corpus with every date moved by DaysMoved, so that its latest
// interviews are at most a day old and none lies in the future.
func Demo(w io.Writer, now time.Time) error {
	unpacked, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("unpacking the demo: %w", err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		return fmt.Errorf("unpacking the demo: %w", err)
	}
	moved := DaysMoved(now)
	var pairs []string
	for ago := range corpusDays {
		from := AsOf().AddDate(0, 0, -ago)
		to := from.AddDate(0, 0, moved)
		pairs = append(pairs, `"`+from.Format(time.DateOnly), `"`+to.Format(time.DateOnly))
		for _, b := range Brands() {
			pairs = append(pairs, feedScope(b, from).Hash(), feedScope(b, to).Hash())
		}
	}
	if _, err := strings.NewReplacer(pairs...).WriteString(w, string(text)); err != nil {
		return fmt.Errorf("writing the demo: %w", err)
	}
	return nil
}

// feedScope is the scope of a portal's daily feed. A saved basis holds its hash,
// which depends on the day.
func feedScope(b Brand, day time.Time) basis.Scope {
	return basis.Scope{ClientID: b.ID, Route: "/synthesis", Filters: map[string]string{
		"surface": "portal", "type": "daily_feed", "day": day.Format(time.DateOnly),
	}}
}

package corpus

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
)

// Terms that every generated client's extractions hold, for tests of the
// search. The vocabulary contains none of them but TermVeryCommon, and neither
// `zo` nor a digit nor a backslash, which can be searched for in vain.
const (
	TermVeryCommon = "support"      // in a good part of all interviews
	TermCommon     = "onboarding"   // in 4 % of them
	TermUnderscore = "cotton_blend" // in 2 %; 0.5 % have cottonxblend, which `_` must not match
	TermPercent    = "0% c"         // in 1.5 %, as 100% cotton; 0.5 % have 0 cotton, which `%` must not match
	TermAccents    = "crème brûlée" // in 3 %, half of them capitalised
	TermRare       = "zanzibar"     // in RareHits usable interviews
	PhraseRare     = "the support order"
	RareHits       = 11
)

// Measurement modes and the one contract version of a canonical client.
const (
	ModeLegacy      = "legacy"
	ModeCanonical   = "canonical"
	contractVersion = "canonical_measurement.v1"
)

// Options describe a corpus.
type Options struct {
	Seed    uint64
	Clients []ClientOptions
	// From and To bound created_at: from From up to, not including, To.
	From, To time.Time
}

// ClientOptions describe one client's share of a corpus.
type ClientOptions struct {
	Slug string
	// Mode is ModeLegacy (also when empty) or ModeCanonical.
	Mode       string
	Interviews int
	// Campaigns are live except every fourth, which is a draft, ended, paused, or
	// live but not active.
	Campaigns int
	// Synthesis is the number of synthesis documents of any type and status. With
	// any, the client also has five lanes, the last of them invisible.
	Synthesis int
	// TranscriptShare is the share of interviews with a transcript of 30 turns:
	// 0 stands for 0.1, a negative value for none.
	TranscriptShare float64
	// UsableShare is the share of usable interviews: 0 stands for 0.71, a negative
	// value for none.
	UsableShare float64
	// EqualCreatedAt is how many interviews have one and the same created_at, as
	// after a bulk load that stamped them all.
	EqualCreatedAt int
}

// Summary is what was written.
type Summary struct {
	Clients []ClientSummary
	Lines   int
	Bytes   int64
}

// ClientSummary is what was written of one client.
type ClientSummary struct {
	ID         uuid.UUID
	Slug       string
	Mode       string
	Interviews int
	// Usable counts the interviews that pass the usable rule.
	Usable        int
	Transcripts   int
	Campaigns     int
	LiveCampaigns int
	Synthesis     int
	// VisibleSynthesis counts the rows that an unfiltered walk of the collection
	// shows: published, of one of its four types, of no invisible lane.
	VisibleSynthesis int
	// Rare and RarePhrase count the usable interviews with TermRare and with
	// PhraseRare; each is RareHits unless there are too few usable interviews.
	Rare, RarePhrase int
	// SharedCreatedAt is the instant of the EqualCreatedAt interviews.
	SharedCreatedAt time.Time
}

// Generate writes a corpus of o's size in constant memory, client after client,
// each in the order client, campaigns, lanes, interviews, synthesis documents.
// Interviews stand in random order of created_at, with some ties. One million
// interviews make about 1.6 GB.
func Generate(w io.Writer, o Options) (Summary, error) {
	if err := o.check(); err != nil {
		return Summary{}, err
	}
	t, err := loadTexts()
	if err != nil {
		return Summary{}, err
	}
	out := newLineWriter(w)
	words, people := newVocabulary(t.wordTexts), t.Names.all()
	var sum Summary
	for _, c := range o.Clients {
		b := newBulk(o, c, people, words, out)
		if err := b.write(); err != nil {
			return Summary{}, fmt.Errorf("writing the corpus of %s: %w", c.Slug, err)
		}
		sum.Clients = append(sum.Clients, b.sum)
	}
	if err := out.Flush(); err != nil {
		return Summary{}, fmt.Errorf("writing the corpus: %w", err)
	}
	sum.Lines, sum.Bytes = out.lines, out.bytes
	return sum, nil
}

func (o Options) check() error {
	if !o.From.Before(o.To.Add(-time.Second)) {
		return fmt.Errorf("corpus: From %s must be more than a second before To %s", o.From, o.To)
	}
	seen := map[string]bool{}
	for _, c := range o.Clients {
		switch {
		case c.Slug == "" || seen[c.Slug]:
			return fmt.Errorf("corpus: the slug %q is empty or given twice", c.Slug)
		case c.Mode != "" && c.Mode != ModeLegacy && c.Mode != ModeCanonical:
			return fmt.Errorf("corpus: %s has the unknown mode %q", c.Slug, c.Mode)
		case c.Interviews < 0 || c.Campaigns < 0 || c.Synthesis < 0:
			return fmt.Errorf("corpus: %s has a negative size", c.Slug)
		case c.EqualCreatedAt < 0 || c.EqualCreatedAt > c.Interviews:
			return fmt.Errorf("corpus: %s has %d equal created_at among %d interviews", c.Slug, c.EqualCreatedAt, c.Interviews)
		}
		seen[c.Slug] = true
	}
	return nil
}

// lineWriter writes lines of JSON and counts them.
type lineWriter struct {
	*bufio.Writer
	lines int
	bytes int64
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{Writer: bufio.NewWriterSize(w, 256<<10)}
}

// add adds to the present line. A failure is returned by endLine.
func (l *lineWriter) add(parts ...string) {
	for _, part := range parts {
		n, _ := l.WriteString(part)
		l.bytes += int64(n)
	}
}

func (l *lineWriter) endLine() error {
	l.lines++
	l.bytes++
	return l.WriteByte('\n')
}

// writeLines writes each record as a line.
func (l *lineWriter) writeLines(records []any) error {
	for _, record := range records {
		text, err := json.Marshal(record)
		if err != nil {
			return err
		}
		l.add(string(text))
		if err := l.endLine(); err != nil {
			return err
		}
	}
	return nil
}

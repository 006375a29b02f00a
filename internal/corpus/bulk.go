package corpus

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// bulk writes one client's lines. Everything is appended by hand: a benchmark's
// corpus should cost its import, not its making.
type bulk struct {
	options  ClientOptions
	words    *vocabulary
	out      *lineWriter
	r        *rng
	key      uint64 // from seed and slug
	from     int64  // microseconds since 1970
	span     uint64 // microseconds
	shared   int64
	clientID string
	live     []string // campaign ids
	dead     []string
	lanes    []string
	people   []person
	usableIn uint64 // of 2^32
	spokenIn uint64 // of 2^32
	sum      ClientSummary
}

func newBulk(o Options, c ClientOptions, words *vocabulary, out *lineWriter) *bulk {
	seed := newRNG(c.Slug + "/" + strconv.FormatUint(o.Seed, 10))
	b := &bulk{
		options: c, words: words, out: out, r: seed, key: seed.next(), from: o.From.UnixMicro(),
		span: uint64(o.To.UnixMicro() - o.From.UnixMicro()), people: people()[""],
		usableIn: share(c.UsableShare, 0.71), spokenIn: share(c.TranscriptShare, 0.1),
	}
	b.shared = b.from + int64(b.span/2)
	b.sum = ClientSummary{ID: b.id(kindClient, 0), Slug: c.Slug, Mode: cmp.Or(c.Mode, ModeLegacy)}
	b.clientID = b.sum.ID.String()
	if c.EqualCreatedAt > 0 {
		b.sum.SharedCreatedAt = time.UnixMicro(b.shared).UTC()
	}
	return b
}

// share is a probability as a number of 2^32, with the default for zero.
func share(given, byDefault float64) uint64 {
	switch {
	case given == 0:
		given = byDefault
	case given < 0:
		given = 0
	}
	return uint64(math.Round(min(given, 1) * (1 << 32)))
}

func (b *bulk) likely(in uint64) bool { return b.r.next()>>32 < in }

// The kinds of id keep a client's records apart.
const (
	kindClient = iota
	kindCampaign
	kindLane
	kindInterview
	kindSynthesis
)

// id is random to look at, a function of seed, slug, kind and number: 122
// bits of two mixed counters, so no two records of any client meet.
func (b *bulk) id(kind, number int) uuid.UUID {
	n := b.key + (uint64(kind)<<40+uint64(number)+1)*golden
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], mix(n))
	binary.BigEndian.PutUint64(id[8:], mix(n^0xD1B54A32D192ED03))
	id[6] = id[6]&0x0F | 0x40
	id[8] = id[8]&0x3F | 0x80
	return id
}

func (b *bulk) appendID(buf []byte, kind, number int) []byte {
	id := b.id(kind, number)
	buf = append(hex.AppendEncode(buf, id[0:4]), '-')
	buf = append(hex.AppendEncode(buf, id[4:6]), '-')
	buf = append(hex.AppendEncode(buf, id[6:8]), '-')
	buf = append(hex.AppendEncode(buf, id[8:10]), '-')
	return hex.AppendEncode(buf, id[10:16])
}

func appendStamp(buf []byte, micros int64) []byte {
	buf = append(buf, '"')
	buf = time.UnixMicro(micros).UTC().AppendFormat(buf, stampLayout)
	return append(buf, '"')
}

// instant is a moment of the corpus' span.
func (b *bulk) instant() int64 { return b.from + int64(b.r.next()%b.span) }

func (b *bulk) write() error {
	if err := b.writeFrame(); err != nil {
		return err
	}
	if err := b.writeInterviews(); err != nil {
		return err
	}
	return b.writeSynthesis()
}

// writeFrame writes the client, its campaigns and its lanes: few lines, so they
// go the slow way.
func (b *bulk) writeFrame() error {
	o := b.options
	client := clientLine{Kind: "client", ID: b.sum.ID, Slug: o.Slug, Name: "Client " + o.Slug, Mode: b.sum.Mode}
	if b.sum.Mode == ModeCanonical {
		client.ContractVersion = ContractVersion
	}
	lines := []any{client}
	for i := range o.Campaigns {
		lines = append(lines, b.campaign(i))
	}
	if o.Synthesis > 0 {
		for i := range bulkLanes {
			id := b.id(kindLane, i)
			b.lanes = append(b.lanes, id.String())
			lines = append(lines, laneLine{
				Kind: "lane", ID: id, ClientID: b.sum.ID, Slug: fmt.Sprintf("lane-%d", i+1),
				DisplayName: fmt.Sprintf("Lane %d", i+1), Visible: i < bulkLanes-1,
			})
		}
	}
	for _, line := range lines {
		text, err := marshal(line)
		if err != nil {
			return err
		}
		if err := b.out.end(append(b.out.next(), text...)); err != nil {
			return err
		}
	}
	return nil
}

const (
	bulkLanes = 5
	// deadEvery says which campaigns are not live.
	deadEvery = 4
)

func (b *bulk) campaign(i int) campaignLine {
	id := b.id(kindCampaign, i)
	status, active := "live", ref(true)
	if i%3 == 1 {
		active = nil
	}
	if i%deadEvery == deadEvery-1 {
		b.dead = append(b.dead, id.String())
		switch i / deadEvery % 4 { // the ways of not being live
		case 0:
			status = "draft"
		case 1:
			status, active = "ended", ref(false)
		case 2:
			status = "paused"
		default:
			active = ref(false)
		}
	} else {
		b.live = append(b.live, id.String())
		b.sum.LiveCampaigns++
	}
	b.sum.Campaigns++
	line := campaignLine{
		Kind: "campaign", ID: id, ClientID: b.sum.ID, Slug: fmt.Sprintf("campaign-%d", i+1),
		DisplayName: ref(b.words.text(b.r, 3)), Brief: ref(b.words.text(b.r, 25)), Goal: ref(b.words.text(b.r, 10)),
		KeyQuestions: []keyQuestion{{questionID(0), b.words.text(b.r, 8)}, {questionID(1), b.words.text(b.r, 8)}},
		Active:       active, LaunchStatus: &status, UpdatedAt: ref(stamp(time.UnixMicro(b.instant()))),
	}
	if i%10 != 9 { // some were never stamped
		line.CreatedAt = ref(stamp(time.UnixMicro(b.instant())))
	}
	return line
}

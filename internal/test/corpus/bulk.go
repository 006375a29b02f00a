package corpus

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/google/uuid"
)

// bulk writes one client's lines. It appends their JSON by hand: a benchmark
// should measure an import, not the making of its file.
type bulk struct {
	*lineWriter
	options          ClientOptions
	words            *vocabulary
	r                *rng
	idKey            uint64 // from seed and slug
	from, span       int64  // microseconds
	sharedCreatedAt  int64
	liveCampaigns    []string
	notLiveCampaigns []string
	lanes            []string
	people           []person
	usableShare      uint64 // of 2^32
	withTranscript   uint64 // of 2^32
	clientID         string
	sum              ClientSummary
}

func newBulk(o Options, c ClientOptions, people []person, words *vocabulary, out *lineWriter) *bulk {
	r := newRNG(c.Slug + "/" + strconv.FormatUint(o.Seed, 10))
	b := &bulk{
		lineWriter: out, options: c, words: words, r: r, idKey: r.next(), from: o.From.UnixMicro(),
		span: o.To.UnixMicro() - o.From.UnixMicro(), people: people,
		usableShare: share(c.UsableShare, 0.71), withTranscript: share(c.TranscriptShare, 0.1),
	}
	b.sharedCreatedAt = b.from + b.span/2
	b.sum = ClientSummary{
		ID: b.id(idOfClient, 0), Slug: c.Slug, Mode: cmp.Or(c.Mode, ModeLegacy), Interviews: c.Interviews,
		Campaigns: c.Campaigns, Synthesis: c.Synthesis,
	}
	b.clientID = b.sum.ID.String()
	if c.EqualCreatedAt > 0 {
		b.sum.SharedCreatedAt = time.UnixMicro(b.sharedCreatedAt).UTC()
	}
	return b
}

// share is a probability as a number of 2^32, with the default for zero.
func share(given, byDefault float64) uint64 {
	return uint64(math.Round(min(max(0, cmp.Or(given, byDefault)), 1) * (1 << 32)))
}

func (b *bulk) likely(share uint64) bool { return b.r.next()>>32 < share }

// Each kind of record has ids of its own.
const (
	idOfClient = iota
	idOfCampaign
	idOfLane
	idOfInterview
	idOfSynthesis
)

// id looks random and is a function of seed, slug, kind and number: 122 bits of
// two mixed counters, so that no two records have the same.
func (b *bulk) id(kind, number int) uuid.UUID {
	n := b.idKey + (uint64(kind)<<40+uint64(number)+1)*golden
	var id uuid.UUID
	binary.BigEndian.PutUint64(id[:8], mix(n))
	binary.BigEndian.PutUint64(id[8:], mix(n^0xD1B54A32D192ED03))
	id[6] = id[6]&0x0F | 0x40
	id[8] = id[8]&0x3F | 0x80
	return id
}

func stampText(micros int64) string { return time.UnixMicro(micros).UTC().Format(stampLayout) }

// instant is a random one of the span.
func (b *bulk) instant() int64 { return b.from + int64(b.r.next()%uint64(b.span)) }

func (b *bulk) text(words int) string { return b.words.text(b.r, words) }

func (b *bulk) write() error {
	if err := b.writeFrame(); err != nil {
		return err
	}
	if err := b.writeInterviews(); err != nil {
		return err
	}
	return b.writeDocuments()
}

const (
	bulkLanes = 5
	// notLiveEvery: each campaign of so many is not live.
	notLiveEvery = 4
)

// writeFrame writes the client, its campaigns and its lanes.
func (b *bulk) writeFrame() error {
	lines := []any{clientLine{
		Kind: "client", ID: b.sum.ID, Slug: b.sum.Slug, Name: "Client " + b.sum.Slug, Mode: b.sum.Mode,
		ContractVersion: map[string]string{ModeCanonical: contractVersion}[b.sum.Mode],
	}}
	for i := range b.options.Campaigns {
		lines = append(lines, b.campaign(i))
	}
	for i := range bulkLanes {
		if b.options.Synthesis == 0 {
			break
		}
		id := b.id(idOfLane, i)
		b.lanes = append(b.lanes, id.String())
		lines = append(lines, laneLine{
			Kind: "lane", ID: id, ClientID: b.sum.ID, Slug: fmt.Sprintf("lane-%d", i+1),
			DisplayName: fmt.Sprintf("Lane %d", i+1), Visible: i < bulkLanes-1,
		})
	}
	return b.writeLines(lines)
}

func (b *bulk) campaign(i int) campaignLine {
	id := b.id(idOfCampaign, i)
	status, active := "live", new(true)
	if i%3 == 1 {
		active = nil
	}
	if i%notLiveEvery == notLiveEvery-1 {
		b.notLiveCampaigns = append(b.notLiveCampaigns, id.String())
		switch i / notLiveEvery % 4 { // the ways of not being live
		case 0:
			status = "draft"
		case 1:
			status, active = "ended", new(false)
		case 2:
			status = "paused"
		default:
			active = new(false)
		}
	} else {
		b.liveCampaigns = append(b.liveCampaigns, id.String())
		b.sum.LiveCampaigns++
	}
	line := campaignLine{
		Kind: "campaign", ID: id, ClientID: b.sum.ID, Slug: fmt.Sprintf("campaign-%d", i+1),
		DisplayName: new(b.text(3)), Brief: new(b.text(25)), Goal: new(b.text(10)),
		KeyQuestions: []keyQuestion{{"q1", b.text(8)}, {"q2", b.text(8)}},
		Active:       active, LaunchStatus: &status, UpdatedAt: new(stamp(time.UnixMicro(b.instant()))),
	}
	if i%10 != 9 { // some were never stamped
		line.CreatedAt = new(stamp(time.UnixMicro(b.instant())))
	}
	return line
}

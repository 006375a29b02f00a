package corpus

import (
	"strconv"
	"time"
)

// documentSizes run from 0.75 to 15 KB in equal ratios: many small ones and a
// few large, 4.8 KB on average.
func documentSizes() []int {
	sizes := make([]int, 64)
	size := 750 << 16
	for i := range sizes {
		sizes[i] = size >> 16
		size += size * 487 / 10000 // 20 to the power of 1/63
	}
	return sizes
}

func (b *bulk) writeDocuments() error {
	sizes := documentSizes()
	for i := range b.options.Synthesis {
		b.addDocument(i, pick(b.r, sizes))
		if err := b.endLine(); err != nil {
			return err
		}
	}
	return nil
}

func (b *bulk) addDocument(i, size int) {
	r := b.r
	kind := [...]string{"daily_feed", "lane", "campaign", "home", "playbook", "creative_concept"}[r.weighted(
		[]int{60, 15, 15, 6, 2, 2})]
	if kind == "campaign" && b.options.Campaigns == 0 {
		kind = "home"
	}
	status := [...]string{"published", "archived", "draft"}[r.weighted([]int{95, 3, 2})]
	visible := status == "published" && kind != "playbook" && kind != "creative_concept"
	updated := b.instant()
	b.add(`{"kind":"synthesis_document","id":"`, b.id(idOfSynthesis, i).String(), `","client_id":"`, b.clientID,
		`","synthesis_type":"`, kind, `"`)
	switch kind {
	case "lane":
		lane := r.below(len(b.lanes))
		visible = visible && lane < bulkLanes-1
		b.add(`,"lane_id":"`, b.lanes[lane], `"`)
	case "campaign":
		from := b.liveCampaigns
		if len(from) == 0 || len(b.notLiveCampaigns) > 0 && r.chance(200) {
			from = b.notLiveCampaigns
		}
		b.add(`,"conversation_goal_id":"`, pick(r, from), `"`)
	case "daily_feed":
		b.add(`,"feed_date":"`, time.UnixMicro(updated).UTC().Format(dayLayout), `"`)
	}
	b.addBody(size)
	b.add(`,"contract_version":"synthesis_document.v2","status":"`, status, `"`)
	if !r.chance(100) {
		// Whole minutes: a nightly job refreshes many at once.
		b.add(`,"last_refreshed":"`, stampText(updated-updated%60_000_000), `"`)
	}
	b.add(`,"created_at":"`, stampText(b.from), `","updated_at":"`, stampText(updated), `"}`)
	if visible {
		b.sum.VisibleSynthesis++
	}
}

// addBody adds a document of about the given size.
func (b *bulk) addBody(size int) {
	b.add(`,"document":`)
	start := b.bytes
	b.add(`{"headline":"`, b.text(8), `","summary":"`, b.text(40), `","themes":`)
	separator := "["
	for separator == "[" || b.bytes-start < int64(size) {
		b.add(separator, `{"label":"`, b.text(2), `","evidence_count":`, strconv.Itoa(b.r.below(400)), `,"share":0.`,
			strconv.Itoa(10+b.r.below(90)), `0,"quotes":["`, b.text(14), `","`, b.text(14), `"],"action":"`, b.text(12), `"}`)
		separator = ","
	}
	b.add(`]}`)
}

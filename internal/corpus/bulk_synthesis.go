package corpus

import "time"

// documentSizes run from 0.75 to 15 KB in equal ratios: many small ones and a
// few large, 4.8 KB on average.
func documentSizes() []int {
	const steps = 64
	sizes := make([]int, steps)
	size := 750 << 16
	for i := range sizes {
		sizes[i] = size >> 16
		size += size * 487 / 10000 // 20 to the power of 1/63
	}
	return sizes
}

func (b *bulk) writeSynthesis() error {
	sizes := documentSizes()
	for i := range b.options.Synthesis {
		if err := b.writeDocument(i, pick(b.r, sizes)); err != nil {
			return err
		}
	}
	b.sum.Synthesis = b.options.Synthesis
	return nil
}

func (b *bulk) writeDocument(i, size int) error {
	r := b.r
	kind := [...]string{"daily_feed", "lane", "campaign", "home", "playbook", "creative_concept"}[r.weighted(
		[]int{60, 15, 15, 6, 2, 2})]
	if kind == "campaign" && len(b.live)+len(b.dead) == 0 {
		kind = "home"
	}
	status := [...]string{"published", "archived", "draft"}[r.weighted([]int{95, 3, 2})]
	visible := status == "published" && kind != "playbook" && kind != "creative_concept"

	buf := append(b.out.next(), `{"kind":"synthesis_document","id":"`...)
	buf = b.appendID(buf, kindSynthesis, i)
	buf = append(buf, `","client_id":"`...)
	buf = append(buf, b.clientID...)
	buf = append(buf, `","synthesis_type":"`...)
	buf = append(buf, kind...)
	updated := b.instant()
	switch kind {
	case "lane":
		lane := r.below(len(b.lanes))
		visible = visible && lane < bulkLanes-1
		buf = append(buf, `","lane_id":"`...)
		buf = append(buf, b.lanes[lane]...)
	case "campaign":
		from := b.live
		if len(from) == 0 || len(b.dead) > 0 && r.chance(200) {
			from = b.dead
		}
		buf = append(buf, `","conversation_goal_id":"`...)
		buf = append(buf, pick(r, from)...)
	case "daily_feed":
		buf = append(buf, `","feed_date":"`...)
		buf = time.UnixMicro(updated).UTC().AppendFormat(buf, dayLayout)
	}
	buf = append(buf, `","document":`...)
	buf = b.appendDocument(buf, size)
	buf = append(buf, `,"contract_version":"`+synthesisContract+`","status":"`...)
	buf = append(buf, status...)
	buf = append(buf, '"')
	if !r.chance(100) {
		// Whole minutes: a nightly job refreshes many at once.
		buf = append(buf, `,"last_refreshed":`...)
		buf = appendStamp(buf, updated-updated%60_000_000)
	}
	buf = append(buf, `,"created_at":`...)
	buf = appendStamp(buf, b.from)
	buf = append(buf, `,"updated_at":`...)
	buf = appendStamp(buf, updated)
	if visible {
		b.sum.VisibleSynthesis++
	}
	return b.out.end(append(buf, '}'))
}

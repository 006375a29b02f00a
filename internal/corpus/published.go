package corpus

import (
	"fmt"
	"time"

	"github.com/google/uuid"
)

const (
	synthesisContract = "synthesis_document.v2"
	feedRowDays       = 45 // daily_feed rows
	feedBodyDays      = 14 // daily_feed portal bodies
)

// newsroom writes one brand's documents from its talks, oldest talk first.
type newsroom struct {
	book  book
	talks []conversation
	now   time.Time
}

func (n newsroom) edition(asOf time.Time, keep func(conversation) bool) edition {
	return newEdition(n.book, n.talks, asOf, keep)
}

// atMost keeps an instant out of the future.
func (n newsroom) atMost(t time.Time) stamp {
	if t.After(n.now) {
		t = n.now
	}
	return stamp(t)
}

func (n newsroom) row(name, kind, status string, refreshed time.Time, document object) synthesisLine {
	b := n.book.brand
	return synthesisLine{
		Kind: "synthesis_document", ID: b.id("synthesis/" + name), ClientID: b.ID, SynthesisType: kind,
		Document: document, ContractVersion: synthesisContract, Status: status, Cadence: ref("weekly"),
		LastRefreshed: ref(stamp(refreshed)), CreatedAt: stamp(refreshed.Add(-31*24*time.Hour - 17*time.Minute)),
		UpdatedAt: n.atMost(refreshed.Add(90 * time.Second)),
	}
}

// rows are the synthesis documents: what is published, and beside each type
// something that is not, and must stay unseen.
func (n newsroom) rows() []synthesisLine {
	b, fresh, newest := n.book.brand, n.now.Add(-2*time.Hour), n.now.Add(-20*time.Minute)
	rows := []synthesisLine{
		n.row("home", "home", "published", fresh, n.edition(fresh, everything).home()),
		n.row("home/next", "home", "draft", newest, n.edition(newest, everything).home()),
	}
	for week := 1; week <= 4; week++ {
		then := fresh.AddDate(0, 0, -7*week)
		name := fmt.Sprintf("home/week/%d", week)
		rows = append(rows, n.row(name, "home", "archived", then, n.edition(then, everything).home()))
	}
	for i, l := range n.book.lanes {
		id := b.id("lane/" + l.slug)
		at := fresh.Add(-time.Duration(i*7) * time.Minute)
		row := n.row("lane/"+l.slug, "lane", "published", at, n.edition(at, everything).lane(l))
		row.LaneID = &id
		rows = append(rows, row)
		if i == 0 {
			then := at.AddDate(0, 0, -28)
			old := n.row("lane/"+l.slug+"/old", "lane", "archived", then, n.edition(then, everything).lane(l))
			old.LaneID = &id
			rows = append(rows, old)
		}
	}
	for i, c := range n.book.campaigns {
		status := "published"
		if !c.live() {
			status = "draft"
		}
		id := b.id("campaign/" + c.slug)
		at := fresh.AddDate(0, 0, -i).Add(-time.Duration(i*13) * time.Minute)
		row := n.row("campaign/"+c.slug, "campaign", status, at, n.edition(at, ofCampaign(i)).campaign(c))
		row.CampaignID = &id
		if i == 2 {
			row.LastRefreshed = nil // never refreshed since it was written
		}
		rows = append(rows, row)
	}
	rows = append(rows, n.feedRows()...)
	playbook := n.edition(fresh, everything).playbook()
	rows = append(rows, n.row("playbook", "playbook", "published", fresh, playbook))
	for i, c := range n.book.concepts {
		document := n.edition(fresh, everything).creativeConcept(c)
		row := n.row(fmt.Sprintf("concept/%d", i), "creative_concept", "published", fresh, document)
		row.LaneID = ref(b.id("lane/" + c.lane))
		rows = append(rows, row)
	}
	return rows
}

func (n newsroom) feedRows() []synthesisLine {
	var rows []synthesisLine
	for ago := range feedRowDays + 1 {
		day, closed := n.feedDay(ago)
		e := n.edition(closed, ofDay(day))
		if len(e.scope) == 0 {
			continue
		}
		status := "published"
		switch {
		case ago == 0:
			status = "draft" // the day is not over
		case ago > feedRowDays-5:
			status = "archived"
		}
		name := fmt.Sprintf("daily_feed/%d", ago)
		row := n.row(name, "daily_feed", status, closed, e.dailyFeed(day, false))
		row.Cadence, row.FeedDate, row.CreatedAt = ref("daily"), ref(day), stamp(closed)
		rows = append(rows, row)
	}
	return rows
}

// feedDay is the day some days ago, and when its feed was written: early the
// next morning, or just now if that has not come yet.
func (n newsroom) feedDay(ago int) (string, time.Time) {
	start := dayStart(n.now, ago)
	closed := start.Add(28*time.Hour + 10*time.Minute + 123456*time.Microsecond)
	if closed.After(n.now) {
		closed = n.now
	}
	return start.Format(dayLayout), closed
}

// bodies are the portal's frozen documents and the bases that were saved with
// them; only a canonical brand saves any.
func (n newsroom) bodies() ([]snapshotLine, []portalLine) {
	p := press{newsroom: n}
	fresh := n.now.Add(-2 * time.Hour)
	all := n.edition(fresh, everything)
	p.publish("home", "home", fresh, nil, nil, all.home(), p.saved(all, "home", "home", "", ""))
	lastWeek := fresh.AddDate(0, 0, -7)
	p.publish("home/old", "home", lastWeek, nil, nil, n.edition(lastWeek, everything).home(), nil)
	p.lines[len(p.lines)-1].Status = "archived"
	p.lanes(fresh)
	p.campaigns(fresh)
	for ago := 1; ago <= feedBodyDays; ago++ {
		day, closed := n.feedDay(ago)
		if e := n.edition(closed, ofDay(day)); len(e.scope) > 0 {
			name := fmt.Sprintf("daily_feed/%d", ago)
			basis := p.saved(e, name, "daily_feed", "day", day)
			p.publish(name, "daily_feed", closed, nil, nil, e.dailyFeed(day, true), basis)
			p.lines[len(p.lines)-1].FeedDate = ref(day)
		}
	}
	p.publish("playbook", "playbook", fresh, nil, nil, all.playbook(), nil)
	for i, c := range n.book.concepts {
		lane := n.book.brand.id("lane/" + c.lane)
		at := fresh.AddDate(0, 0, -3*i)
		p.publish(fmt.Sprintf("concept/%d", i), "creative_concept", at, &lane, nil, all.creativeConcept(c), nil)
	}
	p.lines[len(p.lines)-1].Status = "draft"
	return p.bases, p.lines
}

// press collects the portal's lines.
type press struct {
	newsroom
	bases []snapshotLine
	lines []portalLine
}

func (p *press) publish(
	name, kind string, at time.Time, lane, campaign *uuid.UUID, document object, basis *snapshotLine,
) {
	b := p.book.brand
	line := portalLine{
		Kind: "portal_document", ID: b.id("portal/" + name), ClientID: b.ID, Type: kind, LaneID: lane, CampaignID: campaign,
		Body:   append(object{{"schema", "portal_" + kind + ".v1"}}, document...),
		Status: "published", PublishedAt: p.atMost(at.Add(4 * time.Minute)),
	}
	if basis != nil {
		p.bases = append(p.bases, *basis)
		line.SnapshotID = &basis.SnapshotID
	}
	p.lines = append(p.lines, line)
}

// saved is the document's basis; a legacy brand has none.
func (p *press) saved(e edition, name, kind, selector, value string) *snapshotLine {
	if p.book.brand.Mode != ModeCanonical {
		return nil
	}
	basis := e.basis(name, kind, selector, value)
	return &basis
}

// lanes publishes every lane, the invisible one too, which no reader may show.
// Of a canonical brand's lanes one was renamed since, which changes its scope,
// and of one the saved hash no longer fits the saved ids.
func (p *press) lanes(fresh time.Time) {
	spoilt := false
	for i, l := range p.book.lanes {
		at := fresh.Add(-time.Duration(i*11) * time.Minute)
		e := p.edition(at, everything)
		name := "lane/" + l.slug
		basis := p.saved(e, name, "lane", "lane", l.slug)
		switch {
		case basis == nil:
		case l.formerSlug != "":
			basis.ScopeHash = scopeHash(p.book.brand, "lane", "lane", l.formerSlug)
		case !spoilt:
			// An interview was withdrawn from the saved list, the hash is of before.
			basis.SourceInterviewIDs = basis.SourceInterviewIDs[1:]
			basis.SourceCount = len(basis.SourceInterviewIDs)
			spoilt = true
		}
		id := p.book.brand.id(name)
		p.publish(name, "lane", at, &id, nil, e.lane(l), basis)
	}
}

// campaigns publishes the live campaigns. Of a canonical brand's, one was saved
// under the former contract and one without any basis.
func (p *press) campaigns(fresh time.Time) {
	for i, c := range p.book.campaigns {
		if !c.live() {
			continue
		}
		at := fresh.Add(-time.Duration(i*90) * time.Minute)
		e := p.edition(at, ofCampaign(i))
		name := "campaign/" + c.slug
		basis := p.saved(e, name, "campaign", "campaign", c.slug)
		switch {
		case basis == nil:
		case c.slug == "onboarding":
			basis.ContractVersion = formerContractVersion
		case i == 0:
			basis = nil
		}
		id := p.book.brand.id(name)
		p.publish(name, "campaign", at, nil, &id, e.campaign(c), basis)
	}
}

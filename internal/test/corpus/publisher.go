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

// publisher writes one brand's documents from its interviews, oldest first.
type publisher struct {
	texts      brandTexts
	interviews []interview
	now        time.Time
}

func (n publisher) publication(asOf time.Time, keep func(interview) bool) publication {
	return newPublication(n.texts, n.interviews, asOf, keep)
}

// atMost keeps an instant out of the future.
func (n publisher) atMost(t time.Time) stamp {
	if t.After(n.now) {
		t = n.now
	}
	return stamp(t)
}

func (n publisher) row(name, kind, status string, refreshed time.Time, document object) synthesisLine {
	b := n.texts.Brand
	return synthesisLine{
		Kind: "synthesis_document", ID: b.id("synthesis/" + name), ClientID: b.ID, SynthesisType: kind,
		Document: document, ContractVersion: synthesisContract, Status: status, Cadence: ref("weekly"),
		LastRefreshed: ref(stamp(refreshed)), CreatedAt: stamp(refreshed.Add(-31*24*time.Hour - 17*time.Minute)),
		UpdatedAt: n.atMost(refreshed.Add(90 * time.Second)),
	}
}

// rows are the synthesis documents: what is published, and beside each type
// something that is not, and must stay unseen.
func (n publisher) rows() []synthesisLine {
	b, fresh, newest := n.texts.Brand, n.now.Add(-2*time.Hour), n.now.Add(-20*time.Minute)
	rows := []synthesisLine{
		n.row("home", "home", "published", fresh, n.publication(fresh, allInterviews).home()),
		n.row("home/next", "home", "draft", newest, n.publication(newest, allInterviews).home()),
	}
	for week := 1; week <= 4; week++ {
		then := fresh.AddDate(0, 0, -7*week)
		name := fmt.Sprintf("home/week/%d", week)
		rows = append(rows, n.row(name, "home", "archived", then, n.publication(then, allInterviews).home()))
	}
	for i, l := range n.texts.Lanes {
		id := b.id("lane/" + l.Slug)
		at := fresh.Add(-time.Duration(i*7) * time.Minute)
		row := n.row("lane/"+l.Slug, "lane", "published", at, n.publication(at, allInterviews).lane(l))
		row.LaneID = &id
		rows = append(rows, row)
		if i == 0 {
			then := at.AddDate(0, 0, -28)
			old := n.row("lane/"+l.Slug+"/old", "lane", "archived", then, n.publication(then, allInterviews).lane(l))
			old.LaneID = &id
			rows = append(rows, old)
		}
	}
	for i, c := range n.texts.Campaigns {
		status := "published"
		if !c.live() {
			status = "draft"
		}
		id := b.id("campaign/" + c.Slug)
		at := fresh.AddDate(0, 0, -i).Add(-time.Duration(i*13) * time.Minute)
		row := n.row("campaign/"+c.Slug, "campaign", status, at, n.publication(at, ofCampaign(i)).campaign(c))
		row.CampaignID = &id
		if i == 2 {
			row.LastRefreshed = nil // never refreshed since it was written
		}
		rows = append(rows, row)
	}
	rows = append(rows, n.feedRows()...)
	playbook := n.publication(fresh, allInterviews).playbook()
	rows = append(rows, n.row("playbook", "playbook", "published", fresh, playbook))
	for i, c := range n.texts.Concepts {
		document := n.publication(fresh, allInterviews).creativeConcept(c)
		row := n.row(fmt.Sprintf("concept/%d", i), "creative_concept", "published", fresh, document)
		row.LaneID = ref(b.id("lane/" + c.Lane))
		rows = append(rows, row)
	}
	return rows
}

func (n publisher) feedRows() []synthesisLine {
	var rows []synthesisLine
	for ago := range feedRowDays + 1 {
		day, closed := n.feedDay(ago)
		e := n.publication(closed, ofDay(day))
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
func (n publisher) feedDay(ago int) (string, time.Time) {
	start := dayStart(n.now, ago)
	closed := start.Add(28*time.Hour + 10*time.Minute + 123456*time.Microsecond)
	if closed.After(n.now) {
		closed = n.now
	}
	return start.Format(dayLayout), closed
}

// bodies are the portal's frozen documents and the bases that were saved with
// them; only a canonical brand saves any.
func (n publisher) bodies() ([]snapshotLine, []portalLine) {
	p := portalPublisher{publisher: n}
	fresh := n.now.Add(-2 * time.Hour)
	all := n.publication(fresh, allInterviews)
	p.publish("home", "home", fresh, nil, nil, all.home(), p.saved(all, "home", "home", "", ""))
	lastWeek := fresh.AddDate(0, 0, -7)
	p.publish("home/old", "home", lastWeek, nil, nil, n.publication(lastWeek, allInterviews).home(), nil)
	p.lines[len(p.lines)-1].Status = "archived"
	p.lanes(fresh)
	p.campaigns(fresh)
	for ago := 1; ago <= feedBodyDays; ago++ {
		day, closed := n.feedDay(ago)
		if e := n.publication(closed, ofDay(day)); len(e.scope) > 0 {
			name := fmt.Sprintf("daily_feed/%d", ago)
			basis := p.saved(e, name, "daily_feed", "day", day)
			p.publish(name, "daily_feed", closed, nil, nil, e.dailyFeed(day, true), basis)
			p.lines[len(p.lines)-1].FeedDate = ref(day)
		}
	}
	p.publish("playbook", "playbook", fresh, nil, nil, all.playbook(), nil)
	for i, c := range n.texts.Concepts {
		lane := n.texts.Brand.id("lane/" + c.Lane)
		at := fresh.AddDate(0, 0, -3*i)
		p.publish(fmt.Sprintf("concept/%d", i), "creative_concept", at, &lane, nil, all.creativeConcept(c), nil)
	}
	p.lines[len(p.lines)-1].Status = "draft"
	return p.bases, p.lines
}

// portalPublisher collects the portal's lines.
type portalPublisher struct {
	publisher
	bases []snapshotLine
	lines []portalLine
}

func (p *portalPublisher) publish(
	name, kind string, at time.Time, lane, campaign *uuid.UUID, document object, basis *snapshotLine,
) {
	b := p.texts.Brand
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
func (p *portalPublisher) saved(e publication, name, kind, selector, value string) *snapshotLine {
	if p.texts.Brand.Mode != ModeCanonical {
		return nil
	}
	basis := e.basis(name, kind, selector, value)
	return &basis
}

// lanes publishes every lane, the invisible one too, which no reader may show.
// Of a canonical brand's lanes one was renamed since, which changes its scope,
// and of one the saved hash no longer fits the saved ids.
func (p *portalPublisher) lanes(fresh time.Time) {
	spoilt := false
	for i, l := range p.texts.Lanes {
		at := fresh.Add(-time.Duration(i*11) * time.Minute)
		e := p.publication(at, allInterviews)
		name := "lane/" + l.Slug
		basis := p.saved(e, name, "lane", "lane", l.Slug)
		switch {
		case basis == nil:
		case l.FormerSlug != "":
			basis.ScopeHash = portalScope(p.texts.Brand, "lane", "lane", l.FormerSlug).Hash()
		case !spoilt:
			// An interview was withdrawn from the saved list, the hash is of before.
			basis.SourceInterviewIDs = basis.SourceInterviewIDs[1:]
			basis.SourceCount = len(basis.SourceInterviewIDs)
			spoilt = true
		}
		id := p.texts.Brand.id(name)
		p.publish(name, "lane", at, &id, nil, e.lane(l), basis)
	}
}

// campaigns publishes the live campaigns. Of a canonical brand's, one was saved
// under the former contract and one without any basis.
func (p *portalPublisher) campaigns(fresh time.Time) {
	for i, c := range p.texts.Campaigns {
		if !c.live() {
			continue
		}
		at := fresh.Add(-time.Duration(i*90) * time.Minute)
		e := p.publication(at, ofCampaign(i))
		name := "campaign/" + c.Slug
		basis := p.saved(e, name, "campaign", "campaign", c.Slug)
		switch {
		case basis == nil:
		case c.Slug == "onboarding":
			basis.ContractVersion = formerContractVersion
		case i == 0:
			basis = nil
		}
		id := p.texts.Brand.id(name)
		p.publish(name, "campaign", at, nil, &id, e.campaign(c), basis)
	}
}

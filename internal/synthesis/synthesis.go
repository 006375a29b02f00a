package synthesis

import (
	"time"

	"github.com/clientintel/clientintel/internal/measurement"
)

// Type is a kind of synthesis, which is also a surface of the portal.
type Type string

// The types of the contract.
const (
	Lane            Type = "lane"
	Campaign        Type = "campaign"
	Home            Type = "home"
	DailyFeed       Type = "daily_feed"
	Playbook        Type = "playbook"
	CreativeConcept Type = "creative_concept"
)

// Collected returns the types that the collection lists.
func Collected() []Type { return []Type{Lane, Campaign, Home, DailyFeed} }

// PortalOnly reports whether the collection does not list a type.
func (t Type) PortalOnly() bool { return t == Playbook || t == CreativeConcept }

// Days is a window of feed dates, both inclusive.
type Days struct {
	First time.Time
	Last  time.Time
}

// Reader reads published synthesis.
type Reader struct {
	snapshots *measurement.SnapshotReader
}

// New returns a reader.
func New(snapshots *measurement.SnapshotReader) *Reader { return &Reader{snapshots: snapshots} }

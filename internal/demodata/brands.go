package demodata

import "github.com/google/uuid"

// Measurement modes and the one contract version of a canonical client.
const (
	ModeLegacy      = "legacy"
	ModeCanonical   = "canonical"
	ContractVersion = "canonical_measurement.v1"
)

// The demo's two brands. Their lane `retention` and their campaign
// `onboarding` share slugs on purpose: a filter by slug that forgot the client
// would show the other brand's rows.
const (
	AlderpeakID      = "a1de4bea-7c05-4f6e-9b1d-52d6c8f0e041"
	AlderpeakSlug    = "alderpeak"
	BrightlarderID   = "b41947da-2e93-4c8b-8a6f-0d3f71b95c27"
	BrightlarderSlug = "brightlarder"
)

// Brand names one client of the demo corpus.
type Brand struct {
	ID   uuid.UUID
	Slug string
	Name string
	// Trade says in three words what the brand sells.
	Trade string
	// Mode is ModeLegacy or ModeCanonical.
	Mode string
	// ContractVersion is empty for a legacy client.
	ContractVersion string
}

// Brands lists the demo's clients in the order of the file.
func Brands() []Brand {
	return []Brand{
		{
			ID:    uuid.MustParse(AlderpeakID),
			Slug:  AlderpeakSlug,
			Name:  "Alderpeak Outfitters",
			Trade: "outdoor clothing and gear",
			Mode:  ModeLegacy,
		},
		{
			ID:              uuid.MustParse(BrightlarderID),
			Slug:            BrightlarderSlug,
			Name:            "Brightlarder",
			Trade:           "weekly meal kits",
			Mode:            ModeCanonical,
			ContractVersion: ContractVersion,
		},
	}
}

// id derives a record's id from the brand and a name that is unique within it.
// It does not depend on the clock: importing the demo again, a day later,
// replaces its rows instead of adding to them.
func (b Brand) id(name string) uuid.UUID {
	return uuid.NewSHA1(b.ID, []byte(name))
}

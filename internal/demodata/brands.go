package demodata

import "github.com/google/uuid"

// The slugs of the demo's two brands. Their lane `retention` and their campaign
// `onboarding` share slugs on purpose: a filter by slug that forgot the client
// would show the other brand's rows.
const (
	AlderpeakSlug    = "alderpeak"
	BrightlarderSlug = "brightlarder"
)

// Brand names one client of the demo corpus.
type Brand struct {
	ID   uuid.UUID
	Slug string
	Name string
	// Trade says in three words what the brand sells.
	Trade string
	// Mode is how the client's totals are proven: legacy or canonical.
	Mode string
}

// Brands lists the demo's clients in the order of the file.
func Brands() []Brand {
	return []Brand{
		{
			ID: uuid.MustParse("a1de4bea-7c05-4f6e-9b1d-52d6c8f0e041"), Slug: AlderpeakSlug,
			Name: "Alderpeak Outfitters", Trade: "outdoor clothing and gear", Mode: "legacy",
		},
		{
			ID: uuid.MustParse("b41947da-2e93-4c8b-8a6f-0d3f71b95c27"), Slug: BrightlarderSlug,
			Name: "Brightlarder", Trade: "weekly meal kits", Mode: "canonical",
		},
	}
}

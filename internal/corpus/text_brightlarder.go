package corpus

func brightlarder() book {
	return book{
		brand:      Brands()[1],
		interviews: 260,
		lanes: []laneText{
			{slug: "box-quality", name: "Box quality", visible: true},
			{slug: "menu", name: "Menu & recipes", visible: true},
			{slug: "delivery", name: "Delivery", visible: true},
			{slug: "retention", name: "Retention", visible: true, formerSlug: "stay-or-go"},
			{slug: "margin-watch", name: "Margin watch (internal)", visible: false},
		},
		campaigns: brightlarderCampaigns(),
		themes:    append(brightlarderBoxThemes(), brightlarderPlanThemes()...),
		products: []product{
			{"miso aubergine", hard, "vegetarian", nil},
			{"crème fraîche gnocchi", hard, "comfort", nil},
			{"harissa chicken traybake", hard, "family", nil},
			{"Käsespätzle", hard, "comfort", nil},
			{"jackfruit taco plate", hard, "vegan", nil},
			{"salmon teriyaki", hard, "quick", nil},
			{"mushroom bourguignon", hard, "vegetarian", nil},
			{"paneer jalfrezi", hard, "vegetarian", nil},
			{"crème brûlée French toast", hard, "brunch", nil},
			{"smørrebrød platter", hard, "quick", nil},
			{"beef bulgogi bowl", hard, "family", nil},
			{"chickpea tagine", hard, "vegan", nil},
		},
		slots: map[string][]string{
			"ingredient": {
				"the coriander", "the crème fraîche", "the spice sachet", "the ginger", "one of the two limes", "the feta",
				"the stock pot", "the tahini",
			},
			"fresh": {"the basil", "the salad", "the avocado", "the spinach", "the fish", "the mushrooms", "the berries"},
			"household": {
				"two adults and a toddler", "just the two of us", "me and two teenagers", "a flat share of four",
				"the five of us", "me alone, most days", "my husband, the twins and me",
			},
			"weekday": {"Monday", "Tuesday", "Wednesday", "Thursday"},
			"late":    {"two hours late", "at ten at night", "a whole day late", "three hours after the window", "the next morning"},
			"friend": {
				"my brother", "my neighbour", "a colleague", "my mother-in-law", "my flatmate", "a friend from the choir",
			},
			"weeks": {"three weeks", "a month", "six weeks", "half a year", "almost a year", "eighteen months"},
			"mins":  {"fifty minutes", "an hour", "an hour and ten", "seventy minutes", "most of the evening"},
			"price": {"£38", "€42", "£51", "€58", "£64"},
			"city":  {"Bristol", "Rennes", "Lübeck", "Cork", "Liège", "Århus", "Graz", "Valencia", "Thessaloniki"},
			"kids":  {"my youngest", "my son", "the twins", "my daughter", "even our picky one"},
		},
		liked: []string{
			"The {item} has become something we ask for, it's in the family now.",
			"I'd never have cooked the {item} on my own, and now I do it without the card.",
			"The {item} tasted like something from a restaurant, if a small and friendly one.",
			"The {item} was on the table in half an hour, and nobody complained.",
			"What I like is that I learn something, like how to get the {item} properly brown.",
			"I cooked the {item} for {friend}, who then wanted the recipe.",
		},
		disliked: []string{
			"The {item} was a lot of washing-up for very little joy.",
			"The {item} looked nothing like the picture, and I can cook.",
			"I followed the card to the letter and the {item} was still bland.",
			"The {item} was fine, but not {price} a box fine.",
			"We had the {item} three times in two months, that's enough.",
		},
		competitors: []string{"Ladle & Lark", "Wochenkiste", "Supperloop", "Chez Ondine", "Panelina", "Thursday Table"},
		rivalBetter: []string{
			"{rival} lets me choose from forty dishes, and that keeps us curious.",
			"We tried {rival} in between, and the box was always there at six.",
			"{friend} has {rival} and skips a week with one tap.",
			"{rival} puts the whole thing in paper, no ice packs the size of a brick.",
		},
		rivalWorse: []string{
			"We came from {rival}, where everything tasted of the same sauce.",
			"{rival} was cheaper for a month, and then it wasn't.",
			"I left {rival} because I couldn't cancel without phoning somebody.",
			"{rival} never had anything that {kids} would eat.",
		},
		concepts: []concept{
			{"Tuesday, 6:40 p.m.", "Nobody asked what's for dinner.", "prep_time", "menu", []string{
				"The relief is about deciding, more than about cooking.", "Keep the kitchen untidy.",
			}},
			{"Nothing left but the recipe", "One box, no bin.", "packaging", "box-quality", []string{
				"Hold until ice packs are taken back everywhere.", "Customers count plastic bags aloud.",
			}},
			{"Pause is a button", "Away next week? One tap. See you after.", "skip_cancel", "retention", []string{
				"Easy leaving is the reason named most often for coming back.", "Never show a countdown.",
			}},
			{"The picky one asked for seconds", "Dinner that survives a six-year-old.", "variety", "menu", []string{
				"Family stories are told by promoters only.",
			}},
		},
		traits: []trait{
			{name: "household_size", values: []any{2, 3, 3, 4, 4, 5}, slot: "household", bySlot: map[string]any{
				"two adults and a toddler": 3, "just the two of us": 2, "me and two teenagers": 3, "a flat share of four": 4,
				"the five of us": 5, "my husband, the twins and me": 4,
			}},
			{name: "boxes_received", values: []any{2, 3, 5, 8, 13, 21, 34}, slot: "weeks", bySlot: map[string]any{
				"three weeks": 3, "a month": 4, "six weeks": 6, "half a year": 22, "almost a year": 41, "eighteen months": 63,
			}},
			{name: "diet", values: []any{"none", "none", "vegetarian", "vegan", "gluten-free", "pescatarian", nil}},
			{name: "cooking_confidence", values: []any{"beginner", "comfortable", "comfortable", "keen"}},
		},
	}
}

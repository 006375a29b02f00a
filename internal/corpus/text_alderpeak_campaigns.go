package corpus

func alderpeakCampaigns() []campaignText {
	yes, no := true, false
	return []campaignText{
		{
			slug: "post-purchase", name: "Post-purchase check-in", kind: "post_purchase", status: "live", active: &yes,
			brief:   "A ten-minute talk three weeks after delivery, once the gear has been outside at least once.",
			goal:    "Learn what decides whether a first order becomes a second one.",
			context: "Repeat rate has been flat for three quarters although ratings rose.",
			segment: "Customers with a delivered order in the last 30 days", playbook: "second-order", pace: "weekly",
			questions: []string{
				"How did the order go, from choosing to wearing it outside?",
				"What nearly stopped you from buying?",
				"What would make the next order an easy decision?",
			},
			launchedDays: 410, weight: 34,
			openers: []string{
				"You ordered the {item} a few weeks ago. Take me through it: how did the order go?",
				"Let's start with the {item}. How has it been since it arrived?",
				"I'd love to hear the story of your last order. What were you getting ready for?",
			},
			stories: []string{
				"I bought the {item} for {trip}, mostly because my old one had given up.",
				"It was a bit of a spontaneous thing, {friend} talked me into {trip} and I needed the {item}.",
				"I'd been eyeing the {item} for a year and then we booked {trip}.",
				"I read reviews for far too long and then ordered the {item} on a train.",
				"It was for {trip}. I needed something that survives me.",
			},
			quests: []quest{
				{
					ask: "What nearly stopped you from buying?",
					low: []string{
						"The delivery estimate, which turned out to be optimistic.",
						"The price, and I'm still thinking about it.",
						"Two reviews that said what I'm saying now.",
					},
					high: []string{
						"Only that I couldn't decide on the colour.",
						"The price, for about a day.",
						"Nothing. I had it in the basket for a month, waiting for a reason.",
						"My old one, which refused to die.",
					},
				},
				{
					ask: "What would make the next order an easy decision?",
					low: []string{
						"Knowing that this one has been put right.",
						"A promise that holds. One is enough.",
						"I'd need some time first.",
					},
					high: []string{
						"Just tell me when the spring colours are in.",
						"It already is one, ask anybody here.",
						"A reminder before the season, no more than that.",
						"If the trousers came in my length.",
					},
				},
			},
		},
		{
			slug: "returns", name: "Returns & exchanges", kind: "returns", status: "live", active: &yes,
			brief:   "A short talk with everyone who sent something back, within a week of the refund.",
			goal:    "Find the returns we could have prevented, and those that cost us the customer.",
			context: "One order in six comes back; two thirds of those for size.",
			segment: "Customers with a completed return", playbook: "rescue-the-return", pace: "weekly",
			questions: []string{
				"What made you send it back?", "How easy was it to return or exchange?", "What would have saved the return?",
			},
			launchedDays: 300, weight: 21, gloom: 90,
			emphasis: map[string]int{"returns": 4, "sizing": 3},
			openers: []string{
				"You recently sent something back to us. What happened?",
				"I'd like to understand your return of the {item}. What made you send it back?",
			},
			stories: []string{
				"I ordered the {item} in two sizes and planned to keep one, as everybody does.",
				"The {item} was meant for {trip}, but it wasn't right for me.",
				"I liked the {item} on the screen and then not so much in the hallway.",
				"It was a present for {friend}, and it had to go back.",
			},
			quests: []quest{
				{
					ask: "How easy was the return itself?",
					low: []string{
						"It took me an evening, and I'm good with forms.",
						"The parcel shop didn't know what to do with the code.",
					},
					high: []string{
						"Two minutes, at the kiosk downstairs.",
						"Easy. I'd do it again, though I'd rather not have to.",
						"Fine, once I'd found the tape.",
					},
				},
				{
					ask: "What would have saved the return?",
					low: []string{
						"Somebody telling me the truth on the product page.",
						"A photo of a person who isn't two metres tall.",
						"An exchange, simply an exchange.",
					},
					high: []string{
						"Trying it on in a shop, but there's none near {city}.",
						"Probably nothing, I order two and keep one.",
						"One more picture of the back.",
					},
				},
			},
		},
		{
			slug: "onboarding", name: "New customer onboarding", kind: "onboarding", status: "live", active: nil,
			brief:   "First impressions of people who had never bought from us before.",
			goal:    "Understand what newcomers expect, and where the first order disappoints.",
			context: "Half of all new customers come through recommendations.",
			segment: "First order within the last 14 days", playbook: "warm-welcome", pace: "daily",
			questions: []string{
				"How did you come across us?", "What did you expect, and what was different?", "Whom would you tell about it?",
			},
			launchedDays: 180, weight: 17, gloom: -40,
			emphasis: map[string]int{"stock": 2, "support": 2, "repairs": 0, "loyalty": 0},
			fixed:    map[string]any{"orders_last_12_months": 1, "trail_club_member": false},
			openers: []string{
				"Welcome to Alderpeak! How did you come across us?",
				"This was your first order here. What made you choose us?",
			},
			stories: []string{
				"Through {friend}, who has had one of your jackets for {years}.",
				"I saw someone with the {item} on {trip} and asked where it was from.",
				"A search, frankly. You were the third result and the only one with real measurements.",
				"A repair video of yours came up, and I ended up ordering the {item}.",
			},
			quests: []quest{
				{
					ask: "What did you expect, and what was different?",
					low: []string{
						"I expected it to be simple, since everybody says it is.",
						"I expected more for {price}.",
					},
					high: []string{
						"I expected a shop and got advice.",
						"I'd thought it would be more technical, but it's rather friendly.",
						"Everything as described. That's rarer than you think.",
					},
				},
				{
					ask: "What would you tell a friend about it?",
					low: []string{
						"To wait a bit.",
						"That the things are good and the rest isn't there yet.",
					},
					high: []string{
						"To measure first, and then to order.",
						"That it's worth it, if you use it.",
						"I already did, she's ordered the same one in green.",
					},
				},
			},
		},
		{
			slug: "trail-club", name: "Trail Club members", kind: "relationship", status: "live", active: &yes,
			brief:   "A half-yearly conversation with members of the loyalty programme.",
			goal:    "See whether the club gives a reason to stay, or only a discount.",
			context: "Points were re-priced in spring.",
			segment: "Members with at least two orders a year", playbook: "keep-the-regulars", pace: "monthly",
			questions: []string{
				"What does the Trail Club mean to you?", "When did you last use a benefit?", "What would you miss if it ended?",
			},
			launchedDays: 520, weight: 13,
			emphasis: map[string]int{"loyalty": 5, "repairs": 2, "price": 2},
			fixed:    map[string]any{"trail_club_member": true},
			openers: []string{
				"You've been in the Trail Club for a while. What does it mean to you?",
				"As one of our regulars: how has the last half-year with us been?",
			},
			stories: []string{
				"I've been buying from you for {years}, the {item} was the latest.",
				"I joined for the repair voucher, and then {trip} came along.",
				"Half of our hallway is from you by now, so I suppose I'm a regular.",
			},
			quests: []quest{
				{
					ask: "When did you last use a club benefit?",
					low: []string{
						"I tried in spring, and the voucher had expired.",
						"I wouldn't know which ones I have.",
					},
					high: []string{
						"Last month, the free re-proofing.",
						"In autumn, at the members' evening.",
						"On this very order.",
					},
				},
				{
					ask: "What would you miss if the club ended?",
					low: []string{
						"The card looks nice.",
						"Not much any more, I'm afraid.",
					},
					high: []string{
						"The repair voucher, nothing else comes close.",
						"The feeling that somebody knows what I own.",
						"The early access, I'm a small size.",
					},
				},
			},
		},
		{
			slug: "size-guide-test", name: "Size guide test", kind: "usability", status: "paused", active: &yes,
			brief:   "Think-aloud sessions with the new size guide.",
			goal:    "Check that people pick the right size at the first attempt.",
			context: "Paused until the boots' measurements are complete.",
			segment: "Visitors who opened the size guide", pace: "once",
			questions: []string{
				"Which size would you choose, and why?", "Which measurement did you miss?", "How sure are you, from 0 to 10?",
			},
			legacyQuestions: true, launchedDays: 115, endedDays: 48, weight: 4,
			emphasis: map[string]int{"sizing": 9},
			openers:  []string{"Let's look at the size guide together. Which size of the {item} would you choose?"},
			stories: []string{
				"With the {item} I'd normally take medium, but the chart says large.",
				"I measured myself with a dressmaker's tape, for the first time in my life.",
			},
			quests: []quest{
				{
					ask: "Which measurement did you miss?",
					low: []string{
						"Shoulders. It's always the shoulders.",
						"Anything about the sleeves.",
					},
					high: []string{
						"Only the back length.",
						"None, it was all there, I just had no tape.",
					},
				},
			},
		},
		{
			slug: "spring-winback", name: "Spring win-back", kind: "winback", status: "ended", active: &no,
			brief:   "Conversations with customers who had not ordered for 18 months.",
			goal:    "Hear why they left, and what would bring them back.",
			context: "Ended after the spring sale.",
			segment: "No order for 18 months", playbook: "come-back", pace: "once",
			questions: []string{
				"What has changed since your last order?", "Where do you buy now?", "What would bring you back?",
			},
			launchedDays: 150, endedDays: 62, weight: 8, gloom: 160,
			emphasis: map[string]int{"price": 3, "stock": 2},
			openers:  []string{"It's been a while since your last order. What has changed?"},
			stories: []string{
				"Nothing dramatic, we had a baby and {trip} became a picnic.",
				"I still use the {item}, so in a way you're a victim of your own quality.",
				"I moved to {city} and there's a good shop round the corner.",
			},
			quests: []quest{
				{
					ask: "What would bring you back?",
					low: []string{
						"A reason that isn't a discount.",
						"If you had my size in stock.",
					},
					high: []string{
						"A trip. I'll be back when I have one.",
						"Tell me when there's a shop in {city}.",
					},
				},
			},
		},
		{
			slug: "store-pilot", name: "Hamburg store pilot", kind: "store_visit", status: "draft", active: &no,
			brief: "Exit talks in the pilot store, planned for autumn.", goal: "Decide whether a second store makes sense.",
			segment: "Store visitors", weight: 1,
			openers: []string{"You've just been in our new store. How was it?"},
			stories: []string{"I came for the {item} and stayed for the coffee, to be honest."},
			quests: []quest{
				{
					ask: "What was missing?",
					low: []string{
						"Somebody at the till.",
					},
					high: []string{
						"A chair.",
						"The stoves, they were still in boxes.",
					},
				},
			},
		},
	}
}

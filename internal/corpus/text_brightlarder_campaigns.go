package corpus

func brightlarderCampaigns() []campaignText {
	yes, no := true, false
	return []campaignText{
		{
			slug: "weekly-box", name: "Weekly box check-in", kind: "relationship", status: "live", active: &yes,
			brief:   "A rolling conversation with subscribers, about the box of last week.",
			goal:    "Notice within days when a week goes wrong, and learn what makes one memorable.",
			context: "Ratings in the app are high and say little.",
			segment: "Active subscribers, one in fifty a week", playbook: "fix-this-week", pace: "weekly",
			questions: []string{
				"Tell us about last week's box.", "Which meal would you have again, and which not?",
				"What would you change about your week with us?",
			},
			launchedDays: 380, weight: 40,
			openers: []string{
				"Tell me about last week's box. What did you cook first?",
				"Let's talk about the {item} you had. How did that evening go?",
			},
			stories: []string{
				"It's {household}, so we take the medium box, and this time the {item} was in it.",
				"We've been with you for {weeks} now. Last week it was the {item}, on {weekday}.",
				"I cook on {weekday} because that's when everybody is home. It was the {item}.",
				"I'd picked the {item} because {kids} had asked for it.",
			},
			quests: []quest{
				{
					ask: "Which meal would you have again?",
					low: []string{
						"Of the three? None, this time.",
						"The {item}, if everything's in the box.",
					},
					high: []string{
						"The {item}, any day.",
						"All three, but the {item} first.",
						"The {item}. {kids} said so, and that decides it.",
					},
				},
				{
					ask: "What would you change about your week with us?",
					low: []string{
						"I'd like one week without writing to you.",
						"I'd take fewer meals, probably.",
					},
					high: []string{
						"Let me swap one meal on Sunday evening.",
						"Nothing, it's the calm part of the week.",
						"One more vegetarian evening.",
					},
				},
			},
		},
		{
			slug: "onboarding", name: "First three boxes", kind: "onboarding", status: "live", active: &yes,
			brief:   "Talks with new subscribers after the third box.",
			goal:    "Find what turns a trial into a habit.",
			context: "Four in ten trials end before box four.",
			segment: "Subscribers between box three and four", playbook: "fourth-box", pace: "daily",
			questions: []string{
				"What made you try us?", "How did the first evening go?", "What would make you stay after the trial?",
			},
			launchedDays: 260, weight: 22, gloom: -30,
			emphasis: map[string]int{"prep_time": 2, "missing": 2},
			slots:    map[string][]string{"weeks": {"three weeks"}},
			fixed:    map[string]any{"boxes_received": 3},
			openers: []string{
				"You're three boxes in. What made you try Brightlarder?",
				"Welcome! How did your very first evening with a box go?",
			},
			stories: []string{
				"{friend} gave me a voucher, and with {household} I thought why not.",
				"I was tired of deciding every evening, that's all. The first thing we cooked was the {item}.",
				"We moved to {city} and had no kitchen routine any more.",
				"An honest answer? The discount. And then the {item} was good.",
			},
			quests: []quest{
				{
					ask: "What surprised you?",
					low: []string{
						"How much can go wrong between a list and a box.",
						"The bin, afterwards.",
					},
					high: []string{
						"That I can cook.",
						"That {kids} ate it.",
						"How little was left over.",
					},
				},
				{
					ask: "What would make you stay after the trial?",
					low: []string{
						"If the fourth box is better than the third.",
						"The trial price, to be frank.",
					},
					high: []string{
						"More of the same.",
						"A plan with two meals, then it's a yes.",
						"I've stayed already.",
					},
				},
			},
		},
		{
			slug: "cancellation", name: "Why people leave", kind: "cancellation", status: "live", active: nil,
			brief:   "An exit conversation, offered on the last page of the cancellation.",
			goal:    "Separate the leavers we disappointed from those whose life has changed.",
			context: "The form's reasons are 60 % ‘other’.",
			segment: "Cancelled within the last 7 days", playbook: "good-goodbye", pace: "daily",
			questions: []string{
				"What led to the decision?", "Was there a moment when you made up your mind?", "What could bring you back?",
			},
			launchedDays: 210, weight: 19, gloom: 330,
			emphasis: map[string]int{"price_plan": 3, "skip_cancel": 4},
			openers: []string{
				"You've just cancelled, and that's fine. What led to the decision?",
				"Thanks for talking to us on the way out. When did you make up your mind?",
			},
			stories: []string{
				"We had it for {weeks}, {household}, and it slowly turned from a treat into a chore.",
				"There were two boxes in a row where something went wrong, and then I did the sums.",
				"Our life has changed more than your box has. But there was also the {item} week.",
				"I paused, and paused, and then I noticed that I didn't miss it.",
			},
			quests: []quest{
				{
					ask: "Was there one moment that decided it?",
					low: []string{
						"The second box in a row with a problem.",
						"When I stood in the kitchen at nine with hungry people.",
						"The invoice, I think.",
					},
					high: []string{
						"No, we're moving abroad, that's all.",
						"The baby. It's no reflection on you.",
					},
				},
				{
					ask: "What could bring you back?",
					low: []string{
						"Half a year of distance, and a better offer.",
						"If you mend that one thing.",
						"I don't think so, sorry.",
					},
					high: []string{
						"Autumn. We always come back in autumn.",
						"A bigger kitchen.",
						"A plan for one.",
					},
				},
			},
		},
		{
			slug: "gift-boxes", name: "Gift boxes", kind: "post_purchase", status: "live", active: &no,
			brief: "Givers and receivers of a gift box.", goal: "Learn whether a gift makes a subscriber.",
			context: "Switched off until the Christmas boxes are out.",
			segment: "Gift orders", playbook: "thank-you-note", pace: "seasonal",
			questions:    []string{"Who was the box for?", "How was it received?"},
			launchedDays: 330, weight: 6,
			openers: []string{"You gave somebody a box. How was it received?"},
			stories: []string{
				"It was for {friend}, who can't cook at all. The {item} was brave of me.",
				"I got it as a present, and the card was the nicest part.",
			},
			quests: []quest{
				{
					ask: "Would you give one again?",
					low: []string{
						"Not before I know that it arrives.",
					},
					high: []string{
						"Yes, to my parents.",
						"Yes, but with a later date.",
					},
				},
			},
		},
		{
			slug: "summer-menu", name: "Summer menu test", kind: "concept_test", status: "ended", active: &no,
			brief:           "Reactions to twelve new summer dishes.",
			goal:            "Choose the eight that go on the menu.",
			segment:         "Subscribers who cook three times a week",
			pace:            "once",
			questions:       []string{"Which dish would you cook tonight?", "Which one would your family refuse?"},
			legacyQuestions: true, launchedDays: 116, endedDays: 70, weight: 6,
			emphasis: map[string]int{"variety": 6},
			openers:  []string{"Here are twelve summer dishes. Which one would you cook tonight?"},
			stories:  []string{"The {item}, straight away. {kids} would go for it as well.", "Not the {item}, it's too hot for an oven."},
			quests: []quest{
				{
					ask: "Which one would your household refuse?",
					low: []string{
						"Most of them, if I'm honest.",
					},
					high: []string{
						"The cold soup. I'd love it, I'd be alone.",
						"None, and that's a first.",
					},
				},
			},
		},
		{
			slug: "price-test", name: "Three-meal plan pricing", kind: "concept_test", status: "draft", active: &no,
			brief: "How people read three price cards.", goal: "Pick a price card.", segment: "Visitors without a plan",
			weight:  1,
			openers: []string{"Which of these three cards would you choose?"},
			stories: []string{"The middle one, that's what the middle is for."},
			quests: []quest{
				{
					ask: "What does the price include, in your mind?",
					low: []string{
						"Delivery, surely.",
					},
					high: []string{
						"The food and the thinking.",
					},
				},
			},
		},
	}
}

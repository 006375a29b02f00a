package corpus

// brightlarderPlanThemes are about cooking, choosing, paying and leaving.
func brightlarderPlanThemes() []theme {
	return []theme{
		{
			key: "variety", label: "Recipe variety", lane: "menu", weight: 15, praiseWeight: 14, trend: falling,
			complaints: []complaint{
				{"The {item} was on the menu three weeks out of five.", "menu repeats itself"},
				{"There are two vegetarian dishes, and one of them is always the {item}.", "too few vegetarian dishes"},
				{"It all ends in the same sweet chilli sauce.", "same sauces"},
				{"{kids} won't touch half of the menu.", "nothing for picky children"},
				{"Nothing on the menu is really quick and really light.", "no quick and light dishes"},
				{"We've cooked our way through it, after {weeks} it repeats.", "menu repeats itself"},
			},
			probes: []string{"What did you do then?", "What does that mean for your week?"},
			impacts: []string{
				"So we skip more weeks than we take.", "We ended up cooking our own things and the box became a backup.",
				"I've started swapping ingredients, which rather defeats the point.",
			},
			praises: []string{
				"The new menu has things I'd never heard of, and they work.",
				"{kids} asked for the {item} again, that has never happened with vegetables.",
				"I like that there's a proper vegan dish each week and not a sad salad.",
				"The {item} is the best thing we've cooked at home this year.",
				"I cook things like the {item} now, me, with two left hands.",
			},
			delights: []string{
				"We look forward to choosing, on Sundays, all of us.", "We keep the cards in a folder.",
				"It has made us a bit braver.",
			},
			requests: []string{
				"more dishes for children", "a filter for light meals", "dishes from one region for a month", "the return of old favourites",
			},
			actions: []string{
				"Keep the new rule of no dish twice in four weeks; complaints have fallen since",
				"Mark two dishes a week that children have tested",
			},
			reply: "Favourites are back on request. Tell us the three you miss.",
		},
		{
			key: "prep_time", label: "Prep time", lane: "menu", weight: 11, praiseWeight: 13,
			complaints: []complaint{
				{"The card says thirty minutes and it took {mins}.", "takes longer than the card says"},
				{"Four pans and a blender for the {item}, on a {weekday}.", "too many pots"},
				{"Step four is really six steps.", "steps hard to follow"},
				{"'Finely chop everything' is half an hour, if you're not a chef.", "chopping takes too long"},
				{"With everybody around me the {item} took {mins}.", "takes longer than the card says"},
			},
			probes: []string{"How did the evening end?", "What does that change for you?"},
			impacts: []string{
				"We ate at nine, and {kids} had filled up on crackers.", "I only cook the quick ones now, so I pay for three and use two.",
				"The kitchen looked like a crime scene.",
			},
			praises: []string{
				"From door to table in twenty-five minutes, and I'm slow.",
				"The cards are so clear that {kids} can cook with me.",
				"I don't have to decide anything at six in the evening, that's the luxury.",
				"One pan, that was it, the {item} in one pan.",
			},
			delights: []string{
				"It gave us our evenings back.", "My partner cooks now, that's the real news.", "It's the calmest half-hour of my day.",
			},
			requests: []string{
				"honest times for people with small children", "pre-chopped vegetables as an option", "a one-pan filter",
			},
			actions: []string{
				"Time recipes with ordinary cooks and print the slower figure", "Offer one-pan dishes as a filter",
			},
			reply: "You are right, thirty minutes is a chef's time. We have re-timed this card.",
		},
		{
			key: "portions", label: "Portion size", lane: "menu", weight: 8, praiseWeight: 6,
			complaints: []complaint{
				{"The {item} for two was for two people who'd had lunch late.", "portions too small for adults"},
				{"There's always a mountain of rice and a teaspoon of everything else.", "too much rice, too little else"},
				{"We're three, and there's nothing between two and four.", "no size between two and four"},
				{"My teenagers ate the {item} for four between the two of them.", "portions too small for adults"},
			},
			probes: []string{"How do you usually deal with that?"},
			impacts: []string{
				"We top it up with bread, always bread.", "I've started ordering for four and freezing the rest.",
			},
			praises: []string{
				"The portions are just right, nothing goes into the bin any more.",
				"There was enough of the {item} for my lunch the day after.",
			},
			delights: []string{"We waste far less than we used to.", "It has even saved us some money."},
			requests: []string{"a plan for three people", "an extra-protein option", "smaller portions for children"},
			actions: []string{
				"Introduce a three-person plan, asked for in every second talk about portions", "Trade rice for vegetables in bowls",
			},
			reply: "A plan for three is in the works. Until then the fourth portion is half price.",
		},
		{
			key: "price_plan", label: "Price & plan", lane: "retention", weight: 13, praiseWeight: 5,
			complaints: []complaint{
				{"After the trial it jumped to {price}, and that was a shock.", "price after the trial"},
				{"The dishes I want all carry a supplement.", "extra charge for the better dishes"},
				{"At {price} a week I can eat out once, and I don't have to wash up.", "too expensive for a week"},
				{"The price rise was in the footer of an e-mail about asparagus.", "price rise hidden in an e-mail"},
				{"I did the sums with {friend}, and the supermarket is half.", "dearer than the supermarket"},
			},
			probes: []string{"What did you decide?", "How do you feel about it?"},
			impacts: []string{
				"So we went down to every other week.", "I feel that loyal people pay for the discounts of the new ones.",
				"It isn't that we can't, it's that I think about it now.",
			},
			praises: []string{
				"I throw nothing away, so in the end {price} is what I spent before.",
				"It's cheaper than the takeaways it has replaced.",
			},
			delights: []string{"I stopped counting.", "For that price I get three evenings, not three meals."},
			requests: []string{
				"a smaller plan with two meals", "a loyalty price after half a year", "supplements shown before I choose",
			},
			actions: []string{
				"Announce prices in a message of their own, four weeks ahead", "Test a two-meal plan with leavers who name the price",
			},
			reply: "You should not have found out from a footer. Your old price stays until the end of the year.",
		},
		{
			key: "skip_cancel", label: "Skipping & cancelling", lane: "retention", weight: 10, praiseWeight: 8,
			complaints: []complaint{
				{"I'd paused, and the box came anyway, while we were in {city}.", "box sent despite pause"},
				{"You have to skip six days ahead, who knows that six days ahead?", "skip deadline too early"},
				{"I looked for the cancel button for ten minutes, it's behind three offers.", "cancel button hidden"},
				{"Every time I skip, it asks me if I'm sure. Twice.", "asked twice when skipping"},
			},
			probes: []string{"What came of it?", "What did that make you do?"},
			impacts: []string{
				"{friend} ate our box, so somebody was happy.", "It made me cancel for good instead of pausing.",
				"I've got a reminder in my calendar for your deadline. That isn't right, is it?",
			},
			praises: []string{
				"Pausing over the holidays was one tap and it simply worked.",
				"I've cancelled once, it was so easy that I came back.",
				"It reminds me on {weekday} that I can still change the box, I like that.",
			},
			delights: []string{"I don't feel trapped, and that keeps me here.", "That's rare with subscriptions."},
			requests: []string{
				"a later deadline for skipping", "a holiday mode with dates", "a plain cancel button", "a way to give a week to a friend",
			},
			actions: []string{
				"Move the skip deadline to three days before delivery", "Put pause and cancel side by side on the plan page",
			},
			reply: "The pause should have held. The box is refunded, please do enjoy it or give it away.",
		},
		{
			key: "support", label: "Customer service", lane: "retention", weight: 6, praiseWeight: 9,
			complaints: []complaint{
				{"You get a credit in ten seconds and an answer never.", "credit instead of an answer"},
				{"The chat asked me to choose a smiley before I could say what's wrong.", "chatbot in the way"},
				{"I've reported the same thing for {weeks} and each time it's the first time.", "same complaint every week"},
			},
			probes: []string{"Where does that leave you?", "What had you hoped for?"},
			impacts: []string{
				"I don't want three pounds, I want somebody to write it down.", "By now I don't report it any more.",
			},
			praises: []string{
				"I wrote at five that something was missing, and at ten past five I had a substitute that works.",
				"The answer came from a cook, with a trick for the {item}.",
				"Someone called me back, which I hadn't even asked for.",
			},
			delights: []string{"That felt like a neighbour, not like a company.", "I've been telling everybody."},
			requests: []string{"a call-back", "an answer from a cook", "a note on what became of my complaint"},
			actions: []string{
				"Follow every third credit to one household with a call", "Staff the evening chat with cooks between five and eight",
			},
			reply: "I have read your last four messages, so you need not repeat them. Here is what changes.",
		},
	}
}

package corpus

// brightlarderBoxThemes are about what comes to the door.
func brightlarderBoxThemes() []theme {
	return []theme{
		{
			key: "missing", label: "Completeness of the box", lane: "box-quality", weight: 13, praiseWeight: 5,
			complaints: []complaint{
				{"We unpacked everything and {ingredient} simply wasn't there.", "ingredient missing from the box"},
				{"You can't make the {item} without {ingredient}, and the shop was closed.", "ingredient missing from the box"},
				{"There were two bags for the wrong recipe and none for ours.", "wrong ingredients packed"},
				{"Third box in a row with something missing, this time {ingredient}.", "ingredients missing repeatedly"},
				{"They'd swapped {ingredient} for something else without telling me.", "ingredient swapped without notice"},
				{"I'd started cooking when I noticed that {ingredient} was missing.", "ingredient missing from the box"},
			},
			probes: []string{"What did you do that evening?", "How did it end?"},
			impacts: []string{
				"We ordered pizza. From a box service evening, imagine.", "I ran to the corner shop in slippers.",
				"I got a credit of two pounds, but it isn't about the two pounds.", "Now I check the box before I put it in the fridge.",
			},
			praises: []string{
				"Every little bag was labelled and nothing was missing, down to the sesame.",
				"In {weeks} there has not been one thing missing.",
				"Everything was in one paper bag per meal, so {kids} could unpack it.",
			},
			delights: []string{"I trust the box now, I don't even check.", "That takes the stress out of a {weekday}."},
			requests: []string{
				"a button for a missing ingredient that also suggests a substitute", "a packing list by meal", "a photo of my packed box",
			},
			actions: []string{
				"Weigh each meal bag before the box is closed; a missing sachet shows on the scale",
				"Answer a reported gap with a substitute from the cupboard, at once, before any credit",
			},
			reply: "That evening should have been easy. Here is a substitute you may have at home, and the next box is checked by hand.",
		},
		{
			key: "freshness", label: "Freshness", lane: "box-quality", weight: 12, praiseWeight: 14,
			complaints: []complaint{
				{"By the second day {fresh} had gone over, and we cook three times a week.", "produce spoilt by the second day"},
				{"I opened the box and {fresh} was already brown at the edges.", "produce arrived brown"},
				{"The ice packs were warm and {fresh} smelled of it.", "ice packs melted"},
				{"It had been a hot day, and {fresh} went straight into the bin.", "produce spoilt in the heat"},
				{"The use-by date was the day it arrived.", "use-by date on the day of delivery"},
			},
			probes: []string{"What did that mean for you?", "Where does that leave you?"},
			impacts: []string{
				"I'd rather buy vegetables that I've seen.", "We cooked around it, but it wasn't the {item} any more.",
				"With {household} I can't just skip a dinner.",
			},
			praises: []string{
				"The vegetables are better than at our market, and I'm fussy.",
				"Everything was so fresh that {fresh} lasted until the weekend.",
				"The herbs came with roots, I still have some on the sill.",
				"The fish was better than from the counter, I've asked myself how you do it.",
			},
			delights: []string{"You taste it, you really do.", "That's why I don't mind the price."},
			requests: []string{
				"a note which meal to cook first", "a cooler delivery window in summer", "potted herbs instead of cut ones",
			},
			actions: []string{
				"Print the order of cooking on the box: fish and herbs first",
				"Move summer deliveries in the hottest postcodes to the morning",
			},
			reply: "Cook the fish first, and let us replace what did not last. Thank you for the photo.",
		},
		{
			key: "delivery_window", label: "Delivery window", lane: "delivery", weight: 11, praiseWeight: 9, trend: rising,
			complaints: []complaint{
				{"The box came {late}, and dinner with it.", "box arrived outside the delivery window"},
				{"The window says six to eight, and it was {late}.", "box arrived outside the delivery window"},
				{"They left it in the sun on the step, with fish in it.", "box left in the sun"},
				{"It went to the wrong door, again, and the neighbours had a lovely evening.", "box left at the wrong door"},
				{"I stayed home on {weekday} and the box came {late}, without a message.", "no message about the delay"},
				{"Since the courier changed, it hasn't been on time once.", "unpunctual since the change of courier"},
			},
			probes: []string{"What does that do to your evening?", "How do you feel about that?"},
			impacts: []string{
				"With {household} you can't eat at ten.", "So we had toast, and the box on {weekday} felt like homework.",
				"I've moved to another day, and it's the same there.", "It's the one thing that would make me leave.",
			},
			praises: []string{
				"The driver knows where our cellar is, and that's worth a lot.",
				"The box is there when I come home, every {weekday}, like clockwork.",
				"The message said 18:20 and it was 18:20.",
			},
			delights: []string{"I set the table by it.", "It's one thing less to think about."},
			requests: []string{
				"a two-hour window that I choose", "a live map of the van", "delivery to a cool locker", "a note for the driver that is read",
			},
			actions: []string{
				"Bring the new courier's evening tours below 60 stops until windows are met again",
				"Send a message when the box leaves the previous stop, and when a window cannot be met",
			},
			reply: "Your window is a promise. This week's box is on us, and your driver now has the note.",
		},
		{
			key: "packaging", label: "Packaging", lane: "box-quality", weight: 9, praiseWeight: 6,
			complaints: []complaint{
				{"I counted: eleven plastic bags for three meals, one of them for a single chilli.", "too much plastic"},
				{"We have a freezer drawer full of ice packs and nobody takes them back.", "ice packs pile up"},
				{"The spring onions have their own plastic suit.", "single vegetables wrapped in plastic"},
				{"The recycling bin is full the day the box comes.", "too much waste each week"},
			},
			probes: []string{"How does that make you feel?", "Does it change how you think about us?"},
			impacts: []string{
				"{kids} asked me why carrots need a coat, and I had no answer.", "It's the reason {friend} won't try it.",
				"I feel a bit guilty every {weekday}.",
			},
			praises: []string{
				"I like that it's nearly all paper now.", "The driver takes last week's box back, that's how it should be.",
				"The wool around the cold things is clever, I've used it in the garden.",
			},
			delights: []string{"It sounds small, but I notice it each week.", "I mention it whenever somebody asks."},
			requests: []string{
				"a return scheme for ice packs", "paper instead of plastic for dry goods", "a reusable crate",
			},
			actions: []string{
				"Take ice packs back with the next delivery", "Pack dry goods of one meal in one paper bag",
			},
			reply: "Leave the ice packs on the step next week, the driver takes them along.",
		},
	}
}

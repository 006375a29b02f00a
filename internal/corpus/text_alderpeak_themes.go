package corpus

func alderpeakThemes() []theme {
	return append(alderpeakOrderThemes(), alderpeakLoyaltyThemes()...)
}

// alderpeakOrderThemes are about one order: getting it, fitting it, sending it
// back.
func alderpeakOrderThemes() []theme {
	return []theme{
		{
			key: "late_delivery", label: "Delivery times", lane: "delivery", weight: 16, praiseWeight: 10, trend: rising,
			complaints: []complaint{
				{"The {item} was promised for {weekday} and it turned up {days} later.", "parcel arrived after the promised day"},
				{"I paid extra for express and the parcel still sat in a depot for {days}.", "express parcel stuck in a depot"},
				{"The tracking said 'out for delivery' three mornings in a row, and nothing came.", "tracking said out for delivery for days"},
				{"The courier left a card saying nobody was home, but I was at my desk the whole day.", "courier claimed nobody was home"},
				{"It arrived after {trip} had already started.", "parcel arrived after the promised day"},
				{"They split the order into three parcels and the one I needed came last.", "split shipment, needed part came last"},
				{"Nobody told me it would be late, I only found out by refreshing the tracking page.", "no message about the delay"},
				{"The delivery date moved four times, always in the evening, always without a reason.", "delivery date moved repeatedly"},
			},
			probes: []string{
				"What did the delay mean for you in practice?", "When it didn't come, what did you do?",
			},
			impacts: []string{
				"In the end I borrowed kit from {friend}.",
				"We drove to a shop in {city} the evening before and paid more than I wanted to.",
				"Next time something has a date on it, I'll order somewhere else.",
				"It took the shine off the whole thing.",
				"I had taken a morning off work to be there for the courier.",
			},
			praises: []string{
				"It came in two days, exactly in the slot they had promised.",
				"The delivery updates were spot on, down to the half hour.",
				"I ordered on {weekday} evening and it was on the porch before the weekend.",
				"Even to a village like ours the parcel arrived a day early.",
			},
			delights: []string{
				"With {trip} coming up, that was a real weight off my mind.",
				"I could plan my day around it, and that's rare.",
			},
			requests: []string{
				"a delivery day that is fixed before payment", "live courier tracking in the order page",
				"a warning by text message when a parcel is late", "pick-up at a parcel shop near me",
			},
			actions: []string{
				"Show a committed delivery day at checkout, and only one that the carrier has met in nine of ten cases",
				"Send a delay notice before the promised day has passed, with a free switch to pick-up",
			},
			reply: "We should have told you before you had to look it up. Tell us the day you leave, and we plan back from there.",
		},
		{
			key: "sizing", label: "Sizing", lane: "fit-and-build", needs: worn, weight: 20, praiseWeight: 8, trend: falling,
			complaints: []complaint{
				{"I'm a medium in everything else of yours, and the {item} in medium was a tent.", "sizes differ between models"},
				{"The size chart has chest and height, but nothing about shoulders.", "size chart lacks shoulder width"},
				{"The {item} runs at least one size small, and the page doesn't say so.", "runs smaller than stated"},
				{"I had to order three sizes of the {item} to find one that fits.", "several sizes ordered to find one"},
				{"The sleeves end well above my wrists, and I'm not even that tall.", "sleeves too short in tall sizes"},
				{"Two pieces from the same range, same size on the label, and one fits and one doesn't.", "sizes differ between models"},
				{"The women's version is just the men's version in a smaller size and at size 42 it stops.", "women's sizes end early"},
			},
			probes: []string{
				"What did you do about it?", "What did that mean for you?",
			},
			impacts: []string{
				"I kept the one that was nearly right, because I couldn't be bothered any more.",
				"It went back twice before it fitted.",
				"On {trip} I rolled the cuffs up the whole time.",
				"I now read the reviews for people of my height before I look at the chart.",
			},
			praises: []string{
				"The new size guide got me right at the first attempt.",
				"The {item} fits like it was cut for me, shoulders included.",
				"Finally somebody who makes long sleeves for long arms.",
				"The photos with people of different heights were what decided it.",
			},
			delights: []string{"I didn't even try the second size on.", "I've told {friend} to use that guide too."},
			requests: []string{
				"garment measurements in centimetres for every size", "reviews that can be filtered by height",
				"a half size for the boots", "a comparison with a piece I already own",
			},
			actions: []string{
				"Complete the garment measurements for footwear, then bring the size guide back from its pause",
				"Put ‘runs small’ on the product page wherever a third of the returns say so",
			},
			reply: "Thank you for measuring. We have added shoulder width to the chart and will exchange yours free of charge.",
		},
		{
			key: "durability", label: "Durability", lane: "fit-and-build", needs: soft, weight: 12, praiseWeight: 16,
			complaints: []complaint{
				{"After {uses} the {part} gave up.", "part failed after little use"},
				{"The {part} started to go after {uses}, and I'm not hard on my things.", "part failed after little use"},
				{"The coating came off in flakes the second time it got wet.", "coating peels"},
				{"For {price} I expect the {part} to survive more than {uses}.", "not durable enough for the price"},
				{"It leaked at the {part} on the first day of {trip}.", "leaks at a seam"},
				{"My old one lasted ten years, the {item} lasted {uses}.", "lasts less than its predecessor"},
			},
			probes: []string{"What did you do when it happened?", "Where does that leave you?"},
			impacts: []string{
				"I fixed it with tape and a bad mood.", "I'd recommend the old version, not this one.",
				"It's in the cellar now, waiting for me to write to you.", "I sat in wet things for two days, so there's that.",
			},
			praises: []string{
				"The {item} has been through {trip} and still looks new.",
				"I dragged it along granite, and the granite looked worse.",
				"Nothing has come loose, not one thread, and I looked.",
				"You can feel that the {part} was made by somebody who goes outside.",
			},
			delights: []string{
				"I'd buy it again without looking at the price.", "My kids will probably inherit it.",
				"It's the one thing I never check before a trip.",
			},
			requests: []string{
				"spare parts for zips and buckles", "an honest statement of the water column after washing", "reinforced seams",
			},
			actions: []string{
				"Open a quality review of the supplier behind the zips and seams named here",
				"Offer zips, buckles and cords as spare parts in the shop",
			},
			reply: "That should not happen after so little use. Send it in, the repair is ours.",
		},
		{
			key: "returns", label: "Returns & refunds", lane: "delivery", weight: 13, praiseWeight: 9,
			complaints: []complaint{
				{"The refund took {wait} longer than the e-mail had said.", "refund took weeks"},
				{"You can't exchange, you can only return and order again, and by then the size was gone.", "no direct exchange for another size"},
				{"I had to print a label. Nobody I know owns a printer.", "return label had to be printed"},
				{"I paid for the return although the mistake was yours.", "return shipping at the customer's cost"},
				{"I sent it back and then heard nothing for {wait}.", "no news after the return"},
				{"The return form asked me for a reason, and none of the eight was mine.", "return form without the right reason"},
			},
			probes: []string{"What was going through your mind while you waited?", "What effect did that have?"},
			impacts: []string{
				"Money that I'd planned for {trip} was stuck with you.",
				"I wrote two e-mails about it, and I never write e-mails to shops.",
				"It makes me order less to try, and that means I order less.",
			},
			praises: []string{
				"The return was the easiest part: code on the phone, parcel shop, done.",
				"The money was back before the parcel, I think.",
				"They sent the other size before I'd returned the first one.",
			},
			delights: []string{"It makes me brave about ordering.", "That's how it should be everywhere."},
			requests: []string{
				"a direct exchange for another size", "a return code without printing", "a message when the refund is on its way",
			},
			actions: []string{
				"Ship the other size as soon as the return is handed in",
				"Replace printed labels by codes in every country",
			},
			reply: "Your refund should not need a reminder. From now on you get a message on the day that it leaves us.",
		},
	}
}

package corpus

// alderpeakLoyaltyThemes are about the relationship: help, price, stock, the
// club and the repair service.
func alderpeakLoyaltyThemes() []theme {
	return []theme{
		{
			key: "support", label: "Customer service", lane: "service", weight: 11, praiseWeight: 14,
			complaints: []complaint{
				{"It took {wait} to get an answer, and the answer was a link to the page I came from.", "slow answer from customer service"},
				{"The chat is a robot that apologises a lot.", "chatbot without a way to a person"},
				{"I explained the same thing to three people, and each one asked for my order number again.", "asked for the same facts repeatedly"},
				{"There's no phone number anywhere, I looked for a quarter of an hour.", "no telephone number"},
				{"They closed my ticket as solved. It wasn't.", "ticket closed without a solution"},
			},
			probes: []string{"What had you hoped to hear?", "How did it end?"},
			impacts: []string{
				"I gave up and asked in a forum, where I had an answer in ten minutes.",
				"It isn't about the money, I wanted somebody to look at the photo.",
				"In the end {friend} told me how to do it.",
			},
			praises: []string{
				"When I wrote, {agent} had actually used the {item} and told me how to fix it.",
				"I had an answer within the hour, from a person, with a name.",
				"{agent} talked me out of the more expensive one, imagine that.",
				"They remembered what I'd bought before, without me looking up anything.",
			},
			delights: []string{
				"You don't forget that.", "That one conversation is why I'm still here.", "I've told the story at least five times.",
			},
			requests: []string{
				"a call-back at a time I choose", "a way to reach a person from the chat", "photos in the chat",
			},
			actions: []string{
				"Let the chat hand over to a person after two failed answers",
				"Show the order and its history to whoever answers, so that nobody asks twice",
			},
			reply: "You have explained it once, that is enough. I have the photos and your order in front of me.",
		},
		{
			key: "price", label: "Price & value", lane: "retention", weight: 9, praiseWeight: 6,
			complaints: []complaint{
				{"The {item} cost {price}, and ten days later it was a quarter less.", "discount right after the purchase"},
				{"Prices went up again, and I can't see what got better.", "price rose without visible change"},
				{"Shipping only showed up on the last page, and that annoyed me more than the amount.", "shipping cost shown late"},
				{"For {price} I'd expect the repair kit to be in the box.", "no repair kit at that price"},
				{"I feel a bit silly for not waiting for the sale.", "discount right after the purchase"},
			},
			probes: []string{"How do you deal with that?", "How did that make you feel?"},
			impacts: []string{
				"Now I put things in the basket and wait.", "I've started to buy second-hand, frankly.",
				"It won't ruin me, but it feels like a game.",
			},
			praises: []string{
				"It isn't cheap, but divided by the years it's the cheapest thing I own.",
				"The price was the same in every shop, so I didn't have to play games.",
				"For what the {item} does, {price} is fair.",
			},
			delights: []string{"I'd rather pay once.", "I stopped comparing after that."},
			requests: []string{
				"a price promise for two weeks after the purchase", "shipping cost on the product page", "a second-hand corner",
			},
			actions: []string{
				"Refund the difference when a price falls within 14 days of an order",
				"Show the cost of shipping on the product page",
			},
			reply: "The price fell nine days after your order. We have put the difference on your account.",
		},
		{
			key: "stock", label: "Stock & web shop", lane: "service", weight: 8, praiseWeight: 6,
			complaints: []complaint{
				{"The {item} was in stock, I paid, and {wait} later the order was cancelled.", "order cancelled although shown in stock"},
				{"The filter for size shows me everything that you don't have.", "size filter shows sold-out articles"},
				{"On my phone the checkout jumped back to the start, twice.", "checkout failed on the phone"},
				{"The search doesn't find '{item}' if you misspell one letter.", "search does not forgive typing errors"},
				{"I signed up for the restock mail and it came when it was sold out again.", "restock message came too late"},
			},
			probes: []string{"What did you do next?", "What came of it?"},
			impacts: []string{
				"So I ended up with the other colour, and I don't love it.", "I finished the order on my laptop, out of stubbornness.",
				"For {trip} that was too late.",
			},
			praises: []string{
				"The web shop is quick and it doesn't scream at you.",
				"I liked that the page says how many are left and means it.",
				"The comparison of three packs side by side is brilliant.",
			},
			delights: []string{"I had ordered in four minutes.", "That saved me an evening of open tabs."},
			requests: []string{
				"true stock figures for each size", "a filter that hides what is sold out", "a search that forgives typing errors",
			},
			actions: []string{
				"Reserve stock when an article goes into the basket, not after payment",
				"Repair the mobile checkout's way back from the bank page",
			},
			reply: "We sold you something we did not have. The next one that comes in is yours, at the old price.",
		},
		{
			key: "loyalty", label: "Trail Club", lane: "retention", weight: 7, praiseWeight: 8,
			complaints: []complaint{
				{"My points expired in spring, and nobody said a word.", "points expire unnoticed"},
				{"A thousand points used to be a headlamp, now it's a sticker.", "points worth less than before"},
				{"I had to log in three times to find out what the club gives me.", "benefits hard to find"},
				{"The member price is the same as everybody's price a week later.", "member price no better than others"},
			},
			probes: []string{"How did that leave you?", "What did that do to your view of the club?"},
			impacts: []string{
				"I still have the card, I've stopped thinking about it.", "It makes the loyalty feel rather one-sided.",
			},
			praises: []string{
				"The repair voucher in the Trail Club is worth more to me than any discount.",
				"The members' evening in {city} was lovely, with soup and slides.",
				"I paid for the {item} half with points and felt very clever.",
			},
			delights: []string{"It's the only loyalty card that I'd miss.", "I've got {friend} to join as well."},
			requests: []string{
				"a reminder before points expire", "points for repairs instead of purchases", "more members' evenings",
			},
			actions: []string{
				"Remind members 30 days before points expire", "Shift part of the discount budget into repair vouchers",
			},
			reply: "Your points are back, and they no longer expire in silence.",
		},
		{
			key: "repairs", label: "Repairs & longevity", lane: "retention", needs: soft, weight: 5, praiseWeight: 15,
			complaints: []complaint{
				{"The repair was good, but it took six weeks in the middle of the season.", "repair takes too long in season"},
				{"I couldn't find out what the repair would cost before I'd sent it in.", "repair cost unclear beforehand"},
				{"The patch is solid, only it's a different blue.", "patch in another colour"},
			},
			probes: []string{"How did that play out?"},
			impacts: []string{
				"I missed {trip} with it, so I hired one.", "I'd still do it again, just not in June.",
			},
			praises: []string{
				"You repaired a jacket that is older than my marriage.",
				"The {part} was replaced for free, with a handwritten note.",
				"I bought the {item} because you repair things. That's the reason.",
				"The repair video saved my {item} on a campsite.",
			},
			delights: []string{
				"That's the kind of company I want to exist.", "I show the patch to everybody.", "My next one comes from you as well.",
			},
			requests: []string{
				"a fixed price list for repairs", "a repair date that I can book", "more repair videos",
			},
			actions: []string{
				"Publish repair prices and the present waiting time", "Tell the repair stories customers already tell for us",
			},
			reply: "Repairs take two weeks outside the season. Shall we keep a slot for you in October?",
		},
	}
}

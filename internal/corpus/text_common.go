package corpus

// phrases are what every conversation has, whatever the brand: the frame that
// the interviewer gives it, and the ways in which it can go wrong.
type phrases struct {
	greet, ready, openers, stories      []string
	standOut, more, sorry, glad         []string
	dig                                 []string
	askRival, noRival                   []string
	askScore                            []string
	scoreLow, scoreMid, scoreHigh       []string
	askChange, change, changeNothing    []string
	bye, thanks, fillers, smiles        []string
	shrugs, shortStart, shortEnd        []string
	garbled, testing, insider, offLimit []string
	breakOff                            []string
}

func english() phrases {
	return phrases{
		greet: []string{
			"Hi {first}, thanks for making the time. I'm asking a few questions for {brand}, and there are no right or wrong answers. Shall we start?",
			"Hello {first}! This takes about ten minutes, and you can skip anything. Is now still a good time?",
			"Hi {first}, lovely to meet you. I'd like to hear how things really went, the good and the bad. Ready?",
			"Welcome, {first}. Before we begin: you can stop whenever you like. All right to go on?",
		},
		ready: []string{
			"Sure, go ahead.", "Yes, of course.", "Yep, I've got a cup of tea and ten minutes.", "OK. I'm on the train, so I may cut out.",
			"Happy to.", "I've been waiting for someone to ask.", "Sure, as long as it's not a sales call.", "Ready when you are.",
			"Yes. I've made a list, is that odd?", "Go on then.", "Okay, I'm sitting down.", "Fire away.", "Yes. You may hear a dog.", "Sure. It's just me and the washing machine here.", "Yes, let's do it 🙂",
		},
		openers: []string{
			"Somebody shared this conversation with you, so I know nothing yet. What's your story with {brand}?",
			"You came here through a shared link. When did you last have to do with {brand}?",
		},
		stories: []string{
			"{friend} sent me the link. We talk about the {item} rather a lot, so it seemed only fair.",
			"I saw the link in a group and thought, I've got opinions.",
			"I've got the {item}, and I was asked to say something about it.",
		},
		standOut: []string{
			"What stood out, good or bad?", "What's the first thing you'd tell a friend about it?", "Which moment do you remember best?",
			"Was there anything that surprised you?", "If you think back, what sticks?",
		},
		more: []string{
			"Was there anything else?", "And apart from that?", "What about the rest of the experience?", "Is there another side to it?",
			"You mentioned that in passing. Can we stay there for a moment? What else happened?",
		},
		sorry: []string{"I'm sorry to hear that.", "That sounds frustrating.", "I see.", "Thank you for being so open.", "Oh dear.", "Understood."},
		glad:  []string{"Lovely.", "Nice to hear.", "That's great.", "Good to know.", "I'll pass that on."},
		dig: []string{
			"What made that work for you?", "Why does that matter to you?", "What did that mean to you?", "How did that feel?",
		},
		askRival: []string{"Did you look at anyone else?", "Who else is on your list when you buy something like that?", "How do others do that, in your experience?"},
		noRival:  []string{"Not really, no.", "I don't compare much, life's too short.", "No, I came straight to you."},
		askScore: []string{
			"On a scale from 0 to 10, how likely are you to recommend {brand} to a friend?",
			"One number, please: from 0 to 10, how likely is it that you'd recommend us?",
			"How likely would you be to recommend us, 0 being never and 10 being tomorrow morning?",
		},
		scoreLow: []string{
			"{A} {n}. Sorry.", "Right now? {A} {n}.", "Before this it would have been higher. Today it's {a} {n}.",
			"I'd say {a} {n}, and I don't enjoy saying it.", "{A} {n}. Ask me again when that's mended.", "{n}. I wouldn't want to be blamed for it.",
		},
		scoreMid: []string{
			"{A} {n}, I think.", "Let's say {a} {n}. Solid, with room above.", "{A} {n}. It depends on who's asking me.",
			"{n}. I'd recommend it, with a footnote.", "Something like {a} {n}.",
		},
		scoreHigh: []string{
			"{A} {n}, easily.", "{A} {n}. I already have, twice.", "That's {a} {n} from me.", "{n}, no question.",
			"{A} {n}. My friends are tired of hearing it.",
		},
		askChange: []string{
			"If you could change one thing, what would it be?", "Say you ran the company for a day. What would you do first?",
			"What's the one improvement that would matter most to you?",
		},
		change: []string{
			"What I'd really want is {request}.", "Easy: {request}.", "I'd ask for {request}.", "If I may wish: {request}.",
			"Give me {request} and I'm happy.", "You know what would help? It's {request}.",
		},
		changeNothing: []string{"Nothing, really. Don't change it too much.", "I'd keep it as it is.", "I can't think of anything, and I'm a complainer."},
		bye: []string{
			"Thank you, that was really helpful.", "Thanks so much for your time and your honesty.", "That's all from me. Thank you!",
			"Wonderful, thank you. I'll make sure it's heard.",
		},
		thanks: []string{
			"Thanks, bye!", "You're welcome.", "Cheers, take care 👋", "No problem. I hope it helps.", "Thank you for asking, actually.",
			"Bye bye.", "Nice talking to you. Odd, but nice.", "Pleasure.", "Right, back to work.", "Thanks. Say hello to the team.",
			"That was quicker than I thought.", "Do let me know what comes of it.", "Have a good day.", "Okay, bye!", "All the best.",
		},
		fillers: []string{"Honestly, ", "Well, ", "To be fair, ", "I mean, ", "Look, ", "Okay, so ", "Hm. I'd say ", "So, "},
		smiles:  []string{" 😅", " 🙃", " 🙏", " 😊", " 💚", " 🤷"},
		shrugs: []string{
			"Fine.", "I don't know.", "It was OK, I guess.", "Same.", "Nothing.", "Can't remember.", "Whatever you think.", "Is this much longer?",
			"Yeah.", "No idea.", "Pass.",
		},
		shortStart: []string{"Actually, it's a bad moment.", "Oh, I thought this was about my order."},
		shortEnd:   []string{"I've got to go, sorry.", "Can you write to me instead?", "Somebody's at the door, bye."},
		garbled: []string{
			"[inaudible]", "The [inaudible] was, well, [inaudible] you know?", "[crosstalk] no, not that one [crosstalk]",
			"Hello? Can you hear me? Hello?", "… and then [inaudible] three of them.",
		},
		testing: []string{
			"Test test, one two three.", "This is a test answer from the setup call.", "Lorem … no, let me type something real.",
			"Checking that the pause button works.",
		},
		insider:  []string{"I should say that I work in your warehouse, so I may be biased.", "Full disclosure, I do the bookkeeping for you."},
		offLimit: []string{"There's a legal matter open between us, so please don't pass this on.", "I've been ill, and I'd rather that stayed between us."},
		breakOff: []string{"Sorry, I have to —", "Hang on, the line …", "One second, I'll be right back."},
	}
}

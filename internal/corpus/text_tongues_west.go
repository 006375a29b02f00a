package corpus

func german() tongue {
	return tongue{
		code: "de", weight: 5,
		greet: []string{
			"Hallo {first}, schön, dass Sie Zeit haben! Ich stelle im Auftrag von {brand} ein paar Fragen. Passt es gerade?",
			"Guten Tag {first}! Es gibt keine richtigen oder falschen Antworten. Wollen wir anfangen?",
		},
		ready: []string{"Ja, gerne.", "Klar, schießen Sie los.", "Ja, passt. Ich sitze in der Küche, falls es laut wird."},
		open:  []string{"Erzählen Sie von Ihrer letzten Bestellung.", "Wie ist es Ihnen zuletzt mit uns ergangen?"},
		story: []string{
			"Ich habe vor ungefähr drei Wochen bestellt, nicht zum ersten Mal.",
			"Das war ein Geschenk an mich selbst, nach einem langen Jahr.",
			"Meine Schwester hatte es empfohlen, und ich war neugierig.",
		},
		standOut: []string{"Was ist Ihnen besonders in Erinnerung geblieben?", "Was war daran gut, was weniger?"},
		more:     []string{"Und sonst?", "Gibt es noch etwas, das Sie loswerden möchten?"},
		probe:    []string{"Was hat das für Sie bedeutet?", "Können Sie das genauer beschreiben?"},
		upset: []string{
			"Ärgerlich ist das richtige Wort. Kein Weltuntergang, aber ärgerlich.",
			"Ich habe dann im Laden um die Ecke gekauft.", "Beim nächsten Mal überlege ich es mir zweimal.",
		},
		pleased: []string{
			"Das erzähle ich auch weiter.", "Da fühlt man sich ernst genommen.", "Genau deshalb bleibe ich dabei.",
		},
		askScore:  []string{"Wie wahrscheinlich ist es auf einer Skala von 0 bis 10, dass Sie uns empfehlen?"},
		score:     []string{"Eine {n}, würde ich sagen.", "Sagen wir {n}.", "Aus dem Bauch heraus: {n}."},
		askChange: []string{"Wenn Sie eine Sache ändern könnten, welche wäre das?"},
		change:    []string{"Sagt einfach früher Bescheid, wenn etwas nicht klappt.", "Weniger Auswahl, dafür verlässlich.", "Eigentlich nichts Großes."},
		bye:       []string{"Herzlichen Dank, das hilft uns sehr.", "Vielen Dank für Ihre Zeit!"},
		thanks:    []string{"Gern geschehen. Schöne Grüße!", "Danke, tschüss!", "Gerne. Tschüß 👋"},
		spoken: map[string]map[string]spoken{
			AlderpeakSlug: {
				"late_delivery": {
					[]complaint{
						{"Das Paket kam fünf Tage zu spät, und ich erfuhr es erst aus der Sendungsverfolgung.", "no message about the delay"},
						{"Express bezahlt, und trotzdem lag alles eine Woche im Depot.", "express parcel stuck in a depot"},
						{"Angeblich war niemand zu Hause. Ich saß den ganzen Tag am Fenster.", "courier claimed nobody was home"},
					},
					[]string{"Am nächsten Tag war es da, pünktlich auf die halbe Stunde."},
				},
				"sizing": {
					[]complaint{
						{"Die Größe stimmt einfach nicht: M war mir viel zu groß, S viel zu klein.", "sizes differ between models"},
						{"In der Größentabelle fehlt die Schulterbreite, und genau da zwickt es.", "size chart lacks shoulder width"},
					},
					[]string{"Mit der neuen Größentabelle hat es auf Anhieb gepasst."},
				},
				"support": {
					[]complaint{{"Der Chat entschuldigt sich ständig, aber helfen kann er nicht.", "chatbot without a way to a person"}},
					[]string{"Am Telefon war jemand, der die Jacke selber trägt. Großartig."},
				},
				"repairs": {
					[]complaint{{"Die Reparatur war gut, hat aber mitten in der Saison sechs Wochen gedauert.", "repair takes too long in season"}},
					[]string{
						"Ihr habt mir eine Jacke geflickt, die älter ist als mein Auto.",
						"Der Reißverschluss wurde kostenlos ersetzt, mit einem handgeschriebenen Gruß.",
					},
				},
			},
			BrightlarderSlug: {
				"delivery_window": {
					[]complaint{
						{"Die Kiste kam um zehn Uhr abends, da schlafen die Kinder längst.", "box arrived outside the delivery window"},
						{"Zwischen sechs und acht hieß es, gekommen ist sie am nächsten Morgen.", "box arrived outside the delivery window"},
					},
					[]string{"Der Fahrer weiß, wo der Keller ist. Das ist Gold wert."},
				},
				"variety": {
					[]complaint{{"Dreimal in fünf Wochen Käsespätzle, so schön sie sind.", "menu repeats itself"}},
					[]string{"Wir freuen uns sonntags aufs Auswählen, alle miteinander.", "Endlich vegane Gerichte, die nicht nach Verzicht schmecken."},
				},
				"packaging": {
					[]complaint{
						{"Elf Plastiktüten für drei Gerichte, ich habe sie gezählt.", "too much plastic"},
						{"Die Kühlakkus nimmt niemand zurück, unser Gefrierfach ist voll.", "ice packs pile up"},
					},
					[]string{"Fast alles aus Papier inzwischen, das gefällt mir."},
				},
				"freshness": {
					[]complaint{{"Am zweiten Tag war das Basilikum schon schwarz.", "produce spoilt by the second day"}},
					[]string{"Das Gemüse ist besser als auf unserem Markt."},
				},
			},
		},
	}
}

func french() tongue {
	return tongue{
		code: "fr", weight: 4,
		greet: []string{
			"Bonjour {first}, merci de prendre ce moment avec {brand}. Il n'y a pas de mauvaise réponse. On commence ?",
			"Bonjour {first} ! J'ai quelques questions sur votre expérience. C'est le bon moment ?",
		},
		ready: []string{"Oui, allez-y.", "Bien sûr.", "Oui, j'ai dix minutes devant moi."},
		open:  []string{"Racontez-moi votre dernière commande.", "Comment ça s'est passé pour vous, ces dernières semaines ?"},
		story: []string{
			"J'ai commandé il y a un mois, sur les conseils d'un ami.", "C'était ma deuxième commande, la première m'avait plu.",
			"On en avait besoin pour les vacances, donc c'était un peu pressé.",
		},
		standOut:  []string{"Qu'est-ce qui vous a marqué ?", "Le bon et le moins bon, pour vous ?"},
		more:      []string{"Et à part cela ?", "Autre chose ?"},
		probe:     []string{"Qu'est-ce que ça a changé pour vous ?", "Pouvez-vous m'en dire plus ?"},
		upset:     []string{"Franchement, ça m'a gâché la soirée.", "Du coup, j'ai acheté ailleurs.", "Ce n'est pas grave, mais ça s'ajoute au reste."},
		pleased:   []string{"J'en parle autour de moi.", "C'est rare, et ça fait plaisir.", "C'est pour ça que je reste."},
		askScore:  []string{"De 0 à 10, quelle est la probabilité que vous nous recommandiez ?"},
		score:     []string{"Je dirais {n}.", "Allez, {n}.", "{n}, sans trop réfléchir."},
		askChange: []string{"Si vous pouviez changer une seule chose ?"},
		change:    []string{"Prévenez-nous avant, pas après.", "Un vrai numéro de téléphone.", "Rien d'énorme, à vrai dire."},
		bye:       []string{"Merci beaucoup, c'est très utile.", "Un grand merci à vous !"},
		thanks:    []string{"Je vous en prie, bonne journée !", "Merci, au revoir 🙂", "À bientôt !"},
		spoken: map[string]map[string]spoken{
			AlderpeakSlug: {
				"late_delivery": {
					[]complaint{
						{"Le colis est arrivé une semaine après notre départ, ça n'avait plus aucun intérêt.", "parcel arrived after the promised day"},
						{"Trois matins de suite « en cours de livraison », et personne.", "tracking said out for delivery for days"},
					},
					[]string{"Livré en deux jours, même à la campagne, chapeau."},
				},
				"returns": {
					[]complaint{
						{"Pour le retour il faut une imprimante. Qui a encore une imprimante ?", "return label had to be printed"},
						{"J'ai attendu mon remboursement trois semaines, et sans un mot.", "refund took weeks"},
					},
					[]string{"L'échange a été d'une simplicité déconcertante."},
				},
				"durability": {
					[]complaint{{"La fermeture a lâché au bout de deux sorties.", "part failed after little use"}},
					[]string{"Après le Tour du Mont Blanc, elle est comme neuve.", "C'est du solide, on sent que quelqu'un y a réfléchi."},
				},
			},
			BrightlarderSlug: {
				"missing": {
					[]complaint{
						{"Il manquait la crème fraîche, et sans elle le plat n'existe pas.", "ingredient missing from the box"},
						{"Troisième fois qu'il manque quelque chose, là c'était le gingembre.", "ingredients missing repeatedly"},
					},
					[]string{"Tout est étiqueté, rien ne manque, jusqu'au dernier grain de sésame."},
				},
				"prep_time": {
					[]complaint{{"Trente minutes, dit la fiche. J'en ai mis soixante-dix.", "takes longer than the card says"}},
					[]string{"En vingt-cinq minutes c'est sur la table, et pourtant je ne suis pas rapide !", "Je n'ai plus rien à décider à dix-huit heures, quel luxe."},
				},
				"price_plan": {
					[]complaint{
						{"Après l'essai, le prix double presque, ça surprend.", "price after the trial"},
						{"Les plats qui me tentent ont tous un supplément.", "extra charge for the better dishes"},
					},
					[]string{"Je ne jette plus rien, donc au final ça revient au même."},
				},
			},
		},
	}
}

func spanish() tongue {
	return tongue{
		code: "es", weight: 3,
		greet: []string{
			"¡Hola, {first}! Gracias por atendernos. Son unas pocas preguntas sobre {brand}. ¿Empezamos?",
		},
		ready: []string{"Sí, claro.", "Adelante, sin problema.", "Venga, vamos."},
		open:  []string{"Cuénteme cómo fue su último pedido.", "¿Qué tal le ha ido últimamente con nosotros?"},
		story: []string{
			"Pedí hace unas tres semanas, porque me lo aconsejó una compañera.", "Llevo ya un tiempo comprando, así que algo sé.",
			"Fue un regalo de cumpleaños, y luego repetí yo.",
		},
		standOut:  []string{"¿Qué le llamó la atención, para bien o para mal?", "¿Qué es lo primero que le viene a la cabeza?"},
		more:      []string{"¿Y algo más?", "¿Y lo demás?"},
		probe:     []string{"¿Qué supuso eso para usted?", "¿Puede contarme un poco más?"},
		upset:     []string{"Al final lo compré en otro sitio.", "Me dio mucha rabia, la verdad.", "Una vez pasa, pero dos ya no."},
		pleased:   []string{"Se lo cuento a todo el mundo.", "Así da gusto.", "Por eso sigo."},
		askScore:  []string{"Del 0 al 10, ¿qué probabilidad hay de que nos recomiende?"},
		score:     []string{"Un {n}, diría yo.", "Pues un {n}.", "Le pongo un {n}."},
		askChange: []string{"Si pudiera cambiar una sola cosa, ¿cuál sería?"},
		change:    []string{"Que avisen cuando algo se retrasa.", "Que pueda hablar con una persona.", "Poca cosa, la verdad."},
		bye:       []string{"Muchísimas gracias, nos ayuda mucho."},
		thanks:    []string{"A ustedes. ¡Hasta luego!", "De nada, un saludo 🙌"},
		spoken: map[string]map[string]spoken{
			AlderpeakSlug: {
				"late_delivery": {
					[]complaint{
						{"El paquete llegó una semana tarde, cuando ya habíamos vuelto de Picos.", "parcel arrived after the promised day"},
						{"Pagué el envío urgente y aun así tardó nueve días.", "express parcel stuck in a depot"},
					},
					[]string{"Llegó antes de lo prometido, y eso que vivo en un pueblo."},
				},
				"price": {
					[]complaint{{"A los diez días lo rebajaron un veinticinco por ciento, y me quedé a cuadros.", "discount right after the purchase"}},
					[]string{"Barato no es, pero dividido entre los años sale a cuenta."},
				},
				"durability": {
					[]complaint{{"La costura se abrió al tercer fin de semana.", "part failed after little use"}},
					[]string{"Aguanta lo que le eches, incluso con mis hijos."},
				},
			},
			BrightlarderSlug: {
				"freshness": {
					[]complaint{
						{"El pescado olía raro ya el segundo día.", "produce spoilt by the second day"},
						{"Las espinacas fueron directas a la basura.", "produce arrived brown"},
					},
					[]string{"La verdura es mejor que la de mi mercado, y mira que soy exigente."},
				},
				"delivery_window": {
					[]complaint{
						{"Dijeron de seis a ocho y llegó a las diez de la noche.", "box arrived outside the delivery window"},
						{"La dejaron al sol, con el pescado dentro.", "box left in the sun"},
					},
					[]string{"El repartidor es puntual como un reloj."},
				},
				"skip_cancel": {
					[]complaint{{"Había pausado y la caja llegó igual, estando nosotros en Valencia.", "box sent despite pause"}},
					[]string{"Cancelé en un minuto, y justo por eso volví."},
				},
			},
		},
	}
}

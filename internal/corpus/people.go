package corpus

// person is a name as its owner writes it, and the letters that an e-mail
// address can hold.
type person struct{ first, last, mailbox string }

// mailDomains are reserved for examples (RFC 2606): nobody can ever be written
// to by mistake.
func mailDomains() []string {
	return []string{"example.com", "example.com", "example.org", "example.net", "mail.example", "post.example.com"}
}

func (p person) full() string { return p.first + " " + p.last }

// people lists names by the language in which their owner is interviewed; ""
// is English, and English is spoken by all sorts of people.
func people() map[string][]person {
	return map[string][]person{
		"":   append(cross(englishFirst(), englishLast()), travellers()...),
		"de": cross(germanFirst(), germanLast()),
		"fr": cross(frenchFirst(), frenchLast()),
		"es": cross(spanishFirst(), spanishLast()),
		"el": greeks(),
		"ru": russians(),
	}
}

// cross pairs every first name with every last name; both come as the name and
// its mailbox form.
func cross(first, last [][2]string) []person {
	all := make([]person, 0, len(first)*len(last))
	for _, f := range first {
		for _, l := range last {
			all = append(all, person{f[0], l[0], f[1] + "." + l[1]})
		}
	}
	return all
}

func englishFirst() [][2]string {
	return [][2]string{
		{"Amelia", "amelia"}, {"Tom", "tom"}, {"Priya", "priya"}, {"Callum", "callum"}, {"Siobhán", "siobhan"},
		{"Grace", "grace"}, {"Yusuf", "yusuf"}, {"Hannah", "hannah"}, {"Owen", "owen"}, {"Chiamaka", "chiamaka"},
		{"Ruth", "ruth"}, {"Daniel", "daniel"}, {"Zoë", "zoe"}, {"Marcus", "marcus"}, {"Ingrid", "ingrid"},
		{"Farah", "farah"}, {"Leo", "leo"}, {"Nkechi", "nkechi"}, {"Patrick", "patrick"}, {"Mei", "mei"},
	}
}

func englishLast() [][2]string {
	return [][2]string{
		{"Ashworth", "ashworth"}, {"Okafor", "okafor"}, {"Patel", "patel"}, {"MacLeod", "macleod"},
		{"Ní Bhriain", "nibhriain"},
		{"Whitaker", "whitaker"}, {"Demir", "demir"}, {"Thornbury", "thornbury"}, {"Lindqvist", "lindqvist"},
		{"Rowe", "rowe"},
		{"Hargreaves", "hargreaves"}, {"Nakamura", "nakamura"}, {"Oyelaran", "oyelaran"},
		{"Fitzgerald", "fitzgerald"},
		{"van Dijk", "vandijk"}, {"Chowdhury", "chowdhury"}, {"Brontë-Hughes", "bronte-hughes"}, {"Ó Sé", "ose"},
	}
}

// travellers keep the spelling of their own script.
func travellers() []person {
	return []person{
		{"由紀", "田中", "yuki.tanaka"}, {"Łukasz", "Wójcik", "lukasz.wojcik"}, {"Žofie", "Nováková", "zofie.novakova"},
		{"Åse", "Bjørnstad", "ase.bjornstad"}, {"Çiğdem", "Yılmaz", "cigdem.yilmaz"},
		{"Ștefan", "Ionescu", "stefan.ionescu"},
		{"지민", "박", "jimin.park"}, {"سارة", "الحداد", "sara.alhaddad"}, {"Đorđe", "Kovačević", "dorde.kovacevic"},
		{"João", "Conceição", "joao.conceicao"}, {"Þóra", "Jónsdóttir", "thora.jonsdottir"},
		{"Nguyễn", "Thị Lan", "lan.nguyen"},
		{"नेहा", "शर्मा", "neha.sharma"}, {"Οδυσσέας", "Ωρίωνος", "odysseas.orionos"},
		{"Яна", "Яковлева", "yana.yakovleva"},
		{"Noa", "בן-דוד", "noa.bendavid"}, {"Ágnes", "Szőke", "agnes.szoke"}, {"Øystein", "Ås", "oystein.as"},
	}
}

func germanFirst() [][2]string {
	return [][2]string{
		{"Jürgen", "juergen"}, {"Käthe", "kaethe"}, {"Björn", "bjoern"}, {"Anneliese", "anneliese"},
		{"Sönke", "soenke"},
		{"Friederike", "friederike"}, {"Tobias", "tobias"}, {"Heike", "heike"},
	}
}

func germanLast() [][2]string {
	return [][2]string{
		{"Weiß", "weiss"}, {"Großmann", "grossmann"}, {"Müller-Lüdtke", "mueller-luedtke"}, {"Krüger", "krueger"},
		{"Straßer", "strasser"}, {"Öztürk", "oeztuerk"}, {"Brandl", "brandl"},
	}
}

func frenchFirst() [][2]string {
	return [][2]string{
		{"Émilie", "emilie"}, {"Benoît", "benoit"}, {"Éloïse", "eloise"}, {"Théo", "theo"}, {"Inès", "ines"},
		{"Gaëlle", "gaelle"},
		{"François", "francois"},
	}
}

func frenchLast() [][2]string {
	return [][2]string{
		{"Lefèvre", "lefevre"}, {"Durand", "durand"}, {"Noël", "noel"}, {"Bénard", "benard"}, {"N'Diaye", "ndiaye"},
		{"Œuvrard", "oeuvrard"},
	}
}

func spanishFirst() [][2]string {
	return [][2]string{
		{"Íñigo", "inigo"}, {"Lucía", "lucia"}, {"Begoña", "begona"}, {"Andrés", "andres"}, {"Martí", "marti"},
		{"Ángela", "angela"},
	}
}

func spanishLast() [][2]string {
	return [][2]string{
		{"Muñoz", "munoz"}, {"Echeverría", "echeverria"}, {"Pérez Galán", "perezgalan"}, {"Ibáñez", "ibanez"},
		{"Güell", "guell"},
	}
}

func greeks() []person {
	return []person{
		{"Σοφία", "Παπαδοπούλου", "sofia.papadopoulou"}, {"Γιώργος", "Ωραιόπουλος", "giorgos.oraiopoulos"},
		{"Ελένη", "Δημητρίου", "eleni.dimitriou"},
		{"Νίκος", "Αλεξίου", "nikos.alexiou"}, {"Κατερίνα", "Ζωγράφου", "katerina.zografou"},
		{"Πέτρος", "Μακρής", "petros.makris"},
	}
}

// russians are women: the sentences they are given are in the feminine.
func russians() []person {
	return []person{
		{"Анна", "Ясенева", "anna.yaseneva"}, {"Юлия", "Соколова", "yulia.sokolova"},
		{"Мария", "Щербакова", "maria.shcherbakova"},
		{"Ярослава", "Ежова", "yaroslava.ezhova"}, {"Ольга", "Белых", "olga.belykh"},
	}
}

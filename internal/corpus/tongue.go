package corpus

// tongue is a language other than English in which some customers talk. The
// extraction stays English, the quotes do not.
type tongue struct {
	code                  string
	weight                int
	greet, ready          []string
	open, story           []string
	standOut, more        []string
	probe, upset, pleased []string
	askScore, score       []string // {n} is the score
	askChange, change     []string
	bye, thanks           []string
	// spoken holds the sentences by brand slug and theme key.
	spoken map[string]map[string]spoken
}

type spoken struct {
	complaints []complaint
	praises    []string
}

// keys lists the brand's themes that this language has words for, in the
// book's order.
func (t tongue) keys(b book) []string {
	var keys []string
	for _, th := range b.themes {
		if _, ok := t.spoken[b.brand.Slug][th.key]; ok {
			keys = append(keys, th.key)
		}
	}
	return keys
}

func tongues() []tongue { return []tongue{german(), french(), spanish(), greek(), russian()} }

package corpus

import (
	"bytes"
	_ "embed" // the texts
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

// texts are the words of every generated file.
type texts struct {
	wordTexts `yaml:",inline"`
	Names     names
}

//go:embed texts.yaml
var textFile []byte

// loadTexts decodes the texts when the first file is generated.
var loadTexts = sync.OnceValues(func() (texts, error) {
	var t texts
	decoder := yaml.NewDecoder(bytes.NewReader(textFile))
	decoder.KnownFields(true)
	if err := decoder.Decode(&t); err != nil {
		return texts{}, fmt.Errorf("decoding texts.yaml: %w", err)
	}
	return t, nil
})

type person struct{ First, Last, Mailbox string }

func (p person) full() string { return p.First + " " + p.Last }

// names are the people who are interviewed: each first name with each last name, both
// given with their letters of the address, and People.
type names struct {
	First, Last [][2]string
	People      []person
}

func (n names) all() []person {
	var all []person
	for _, first := range n.First {
		for _, last := range n.Last {
			all = append(all, person{first[0], last[0], first[1] + "." + last[1]})
		}
	}
	return append(all, n.People...)
}

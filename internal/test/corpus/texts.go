package corpus

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/internal/demodata"
)

// texts are the words of every generated file. The generators share them and
// change none.
type texts struct {
	words   wordTexts
	english english
	locales []locale
	brands  []brandTexts
}

//go:embed texts
var textFiles embed.FS

// loadTexts decodes the texts when the first file is generated.
var loadTexts = sync.OnceValues(func() (texts, error) {
	var t texts
	missing := []error{
		decodeTexts(textFiles, "vocabulary.yaml", &t.words),
		decodeTexts(textFiles, "en.yaml", &t.english),
	}
	t.locales = make([]locale, 5)
	for i, code := range []string{"de", "fr", "es", "el", "ru"} {
		missing = append(missing, decodeTexts(textFiles, code+".yaml", &t.locales[i]))
	}
	for _, named := range demodata.Brands() {
		b := brandTexts{Brand: brand{named}}
		missing = append(missing, decodeTexts(textFiles, named.Slug+"/*.yaml", &b))
		t.brands = append(t.brands, b)
	}
	return t, errors.Join(missing...)
})

// decodeTexts decodes all files of a pattern into one struct. It refuses a
// field that the struct does not have, and an empty text, unless its
// field's tag says omitempty.
func decodeTexts(files fs.FS, pattern string, into any) error {
	names, err := fs.Glob(files, "texts/"+pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		decoder := yaml.NewDecoder(bytes.NewReader(text))
		decoder.KnownFields(true)
		if err := decoder.Decode(into); err != nil {
			return fmt.Errorf("decoding %s: %w", name, err)
		}
	}
	if path, missing := missingText(reflect.ValueOf(into).Elem()); missing {
		return fmt.Errorf("decoding texts/%s: %s is missing", pattern, path)
	}
	return nil
}

// missingText returns the path of the first empty text, and whether there is one.
func missingText(v reflect.Value) (string, bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			if name == "-" || options == "omitempty" {
				continue
			}
			if path, missing := missingText(v.Field(i)); missing {
				return "." + v.Type().Field(i).Name + path, true
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if path, missing := missingText(v.Index(i)); missing {
				return fmt.Sprintf("[%d]%s", i, path), true
			}
		}
		return "", v.Len() == 0
	case reflect.String:
		return "", v.Len() == 0
	}
	return "", false
}

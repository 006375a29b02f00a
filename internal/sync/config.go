package sync

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/internal/importer"
)

// Config is what a sync does, from a YAML file. A text that ends in .sql, the rejects and
// file patterns are relative to the file's directory.
type Config struct {
	Source Source `yaml:"source"`
	// Clients is the query that lists the clients: key, id, slug and name.
	Clients string `yaml:"clients"`
	// Queries give a client's records, by kind. Their $1 is its key.
	Queries map[string]string `yaml:"queries"`
	// Kinds are replaced; records of others are not touched.
	Kinds []string `yaml:"kinds"`
	// MaxRemoved is by kind, MaxRemovedOf by a client's slug and kind.
	MaxRemoved   map[string]string            `yaml:"max_removed"`
	MaxRemovedOf map[string]map[string]string `yaml:"max_removed_of"`
	// MaxBad is how many rows of a client are set aside, a number or a share.
	MaxBad string `yaml:"max_bad"`
	// Rejects is the file that they are written to.
	Rejects string `yaml:"rejects"`
	// MaxWait is how long another import of the same client is waited for.
	MaxWait time.Duration `yaml:"max_wait"`

	path    string
	maxBad  importer.Limit
	limits  map[string]importer.Limit
	limitOf map[string]map[string]importer.Limit
}

// Source is where records come from.
type Source struct {
	// Postgres is the variable that holds the URL of a PostgreSQL.
	Postgres string `yaml:"postgres"`
	// Files are patterns of files in the import format.
	Files []string `yaml:"files"`
}

// ReadConfig reads and checks a configuration.
func ReadConfig(path string) (*Config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c := Config{path: path, MaxWait: 10 * time.Minute}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil && !errors.Is(err, io.EOF) { // an empty file
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &c, nil
}

// check reads the files that it names, and joins all mistakes.
func (c *Config) check() error {
	var wrong []error
	refuse := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	isDatabase, hasFiles := c.Source.Postgres != "", len(c.Source.Files) > 0
	if isDatabase == hasFiles {
		refuse("source: must name either postgres, a variable with a URL, or files")
	}
	if len(c.Kinds) == 0 {
		refuse("kinds: must list what is replaced, of %s", strings.Join(importer.ReplaceableKinds(), ", "))
	}
	for n, kind := range c.Kinds {
		if slices.Contains(c.Kinds[:n], kind) {
			refuse("kinds: %s is there twice", kind)
		}
		if _, has := c.Queries[kind]; !slices.Contains(importer.ReplaceableKinds(), kind) {
			refuse("kinds: %q is not one of %s", kind, strings.Join(importer.ReplaceableKinds(), ", "))
		} else if isDatabase && !has {
			refuse("queries: there is none for %s", kind)
		}
	}
	if isDatabase && c.Clients == "" {
		refuse("clients: must be a query for key, id, slug and name")
	}
	if hasFiles && (c.Clients != "" || len(c.Queries) > 0) {
		refuse("clients and queries: files have none")
	}
	if c.MaxWait <= 0 {
		refuse("max_wait: must be more than 0, such as 10m")
	}
	var err error
	if c.Clients, err = c.query(c.Clients); err != nil {
		refuse("clients: %w", err)
	}
	for kind, query := range c.Queries {
		if !slices.Contains(c.Kinds, kind) {
			refuse("queries: %s is not in kinds", kind)
		}
		if c.Queries[kind], err = c.query(query); err != nil {
			refuse("queries: %s: %w", kind, err)
		}
	}
	if c.maxBad, err = importer.ParseLimit(cmp.Or(c.MaxBad, "0")); err != nil {
		refuse("max_bad %w", err)
	}
	if c.limits, err = c.parseLimits(c.MaxRemoved); err != nil {
		refuse("max_removed: %w", err)
	}
	c.limitOf = map[string]map[string]importer.Limit{}
	for slug, limits := range c.MaxRemovedOf {
		if c.limitOf[slug], err = c.parseLimits(limits); err != nil {
			refuse("max_removed_of: %s: %w", slug, err)
		}
	}
	return errors.Join(wrong...)
}

func (c *Config) parseLimits(texts map[string]string) (map[string]importer.Limit, error) {
	limits := map[string]importer.Limit{}
	for kind, text := range texts {
		limit, err := importer.ParseLimit(text)
		if err != nil {
			return nil, fmt.Errorf("%s %w", kind, err)
		}
		if !slices.Contains(c.Kinds, kind) {
			return nil, fmt.Errorf("%s is not in kinds", kind)
		}
		limits[kind] = limit
	}
	return limits, nil
}

// query is the text itself, or what is in the file that it names.
func (c *Config) query(text string) (string, error) {
	if !strings.HasSuffix(text, ".sql") {
		return text, nil
	}
	content, err := os.ReadFile(c.relative(text))
	return string(content), err
}

func (c *Config) relative(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(c.path), name)
}

// maxRemoved are a client's limits by kind.
func (c *Config) maxRemoved(slug string) map[string]importer.Limit {
	limits := map[string]importer.Limit{}
	for _, of := range []map[string]importer.Limit{c.limits, c.limitOf[slug]} {
		for kind, limit := range of {
			limits[kind] = limit
		}
	}
	return limits
}

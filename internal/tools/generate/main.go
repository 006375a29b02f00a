// Command generate makes gen/, the Go client's package contract and sql/schema.sql from the
// contracts and the SQL. A hash of sources and results makes it quick when nothing changed.
// It also makes the documents that the binary embeds (the contract as JSON, the pages at
// /docs, the clients' packages) and the table of settings in docs/deployment.md. With -check
// it fails if what is committed is stale.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/internal/embedded"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/tools/generate/contract"
	"github.com/clientintel/clientintel/sql/migrations"
)

const hashFile = "gen/hash.txt"

// sources are what results are generated from, together with the tools' versions in go.mod.
var (
	sources = []string{"openapi/openapi.yaml", "openapi/codegen.overlay.yaml", "openapi/admin.yaml", "openapi/admin.overlay.yaml", "oapi-codegen.yaml", "oapi-codegen.client.yaml", "oapi-codegen.admin.yaml", "sqlc.yaml", "sql/migrations", "sql/queries", "sql/importing", "sql/distributed"}
	results = []string{"gen/api", "gen/admin", "openapi/clients/go/contract", "gen/db", "sql/schema.sql"}
)

var errStale = errors.New("generated files are stale: run 'make generate' and commit the result")

func main() {
	check := flag.Bool("check", false, "fail when what is committed is stale")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	// The packages have generated files in them.
	return errors.Join(writeDocuments(check), runCode(check), writePackages(check))
}

func runCode(check bool) error {
	committed, err := os.ReadFile(hashFile)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	before, err := hash()
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(committed)) == before {
		fmt.Println("generated code is up to date")
		return nil
	}
	if check {
		return errStale
	}
	if err := generate(); err != nil {
		return err
	}
	after, err := hash()
	if err != nil {
		return err
	}
	return os.WriteFile(hashFile, []byte(after+"\n"), 0o644)
}

func generate() error {
	ordered, err := orderedContract()
	if err != nil {
		return err
	}
	defer os.Remove(ordered)
	for _, command := range [][]string{
		{"go", "tool", "oapi-codegen", "-config", "oapi-codegen.yaml", ordered},
		{"go", "tool", "oapi-codegen", "-config", "oapi-codegen.client.yaml", ordered},
		{"go", "tool", "oapi-codegen", "-config", "oapi-codegen.admin.yaml", "openapi/admin.yaml"},
		{"go", "tool", "sqlc", "generate"},
	} {
		fmt.Println(strings.Join(command, " "))
		cmd := exec.CommandContext(context.Background(), command[0], command[1:]...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
		}
	}
	return dumpSchema(context.Background())
}

// orderedContract writes a copy of the contract in which each property says its place:
// oapi-codegen sorts them by name otherwise, and responses would not look like their examples.
func orderedContract() (string, error) {
	document, err := contract.Read("openapi/openapi.yaml")
	if err != nil {
		return "", err
	}
	document.NumberProperties()
	text, err := yaml.Marshal(document.Node)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "openapi-*.yaml")
	if err != nil {
		return "", err
	}
	_, err = file.Write(text)
	return file.Name(), errors.Join(err, file.Close())
}

// versionLines are the lines of a dump that name the versions of server and pg_dump, and a
// random token.
var versionLines = regexp.MustCompile(`(?m)^(-- Dumped .*|\\(un)?restrict .*)\n`)

// dumpSchema writes the schema as the migrations leave it, for people to read.
func dumpSchema(ctx context.Context) error {
	fmt.Println("dumping sql/schema.sql")
	dir, err := os.MkdirTemp("", "clientintel-schema-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	cluster, err := embedded.Open(ctx, embedded.Options{Dir: filepath.Join(dir, "data"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer cluster.Close(ctx)
	if _, err := postgres.Migrate(ctx, cluster.OwnerURL(), migrations.Files, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	dump, err := exec.CommandContext(ctx, "pg_dump", "--schema-only", "--no-owner",
		"--exclude-table=goose_db_version*", "--exclude-table=request_log_2*", "--exclude-table=key_usage_2*", "--exclude-table=usage_sums_2*", "--dbname", cluster.OwnerURL()).Output()
	if err != nil {
		return fmt.Errorf("pg_dump (from PostgreSQL's client package): %w", err)
	}
	header := "-- The schema as the migrations leave it, to read. Generated: change sql/migrations.\n\n"
	if err := os.WriteFile("sql/schema.sql", append([]byte(header), versionLines.ReplaceAll(dump, nil)...), 0o644); err != nil {
		return err
	}
	return nil
}

// hash covers every source and result, and the tools' versions.
func hash() (string, error) {
	h := sha256.New()
	for _, root := range slices.Concat(sources, results) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%s %d\n", filepath.ToSlash(path), len(content))
			_, err = h.Write(content)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	module, err := os.ReadFile("go.mod")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(module)) {
		if strings.Contains(line, "oapi-codegen/v2") || strings.Contains(line, "sqlc-dev/sqlc ") {
			if _, err := io.WriteString(h, strings.TrimSpace(line)); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

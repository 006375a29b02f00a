// Command cover runs every test and prints the functions of the shipped packages
// that none of them executes, unless allowed.yaml names them with a reason. It
// fails on such a function, and on a name in allowed.yaml that is executed or gone.
// Programs that tests build and run count too, where they end in order.
//
//	go run ./internal/tools/cover            (the arguments go to go test)
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/cover"
)

const module = "github.com/clientintel/clientintel"

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cover:", err)
		os.Exit(1)
	}
}

// allowed holds the reason for each function that no test executes.
//
//go:embed allowed.yaml
var allowed []byte

func run(ctx context.Context, arguments []string, out io.Writer) error {
	reasons := map[string]string{}
	if err := yaml.Unmarshal(allowed, &reasons); err != nil {
		return fmt.Errorf("reading allowed.yaml: %w", err)
	}
	packages, err := shipped(ctx)
	if err != nil {
		return err
	}
	// The functions are named even where a test failed.
	profiles, failed := runTests(ctx, packages, arguments, out)
	functions, err := executions(profiles)
	if err != nil {
		return errors.Join(failed, err)
	}
	return errors.Join(failed, report(functions, reasons, out))
}

// shipped are the packages to hold.
func shipped(ctx context.Context) ([]string, error) {
	list, err := exec.CommandContext(ctx, "go", "list", "./internal/...", "./cmd/...", "./openapi/...").Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	return slices.DeleteFunc(strings.Fields(string(list)), func(name string) bool {
		return !isShipped(strings.TrimPrefix(name, module+"/"))
	}), nil
}

// runTests runs the whole suite and returns what was executed, in the tests'
// processes and in the programs they ran (test/cluster builds those for it).
func runTests(ctx context.Context, packages, arguments []string, out io.Writer) ([]*cover.Profile, error) {
	dir, err := os.MkdirTemp("", "clientintel-cover-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// A program may run as another user.
	if err := os.Chmod(dir, 0o777); err != nil {
		return nil, err
	}
	tests, programs := filepath.Join(dir, "tests.out"), filepath.Join(dir, "programs.out")
	if len(arguments) == 0 {
		arguments = []string{"./..."}
	}
	command := exec.CommandContext(ctx, "go", append([]string{ //nolint:gosec // a developer names the packages
		"test", "-count=1", "-covermode=atomic", "-coverprofile=" + tests, "-coverpkg=" + strings.Join(packages, ","),
	}, arguments...)...)
	command.Env = append(os.Environ(), "CLIENTINTEL_COVER_DIR="+dir)
	command.Stderr = out
	printed, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(printed); lines.Scan(); {
		// The rest names every package again.
		line, _, _ := strings.Cut(lines.Text(), "\tcoverage: ")
		fmt.Fprintln(out, line)
	}
	failed := command.Wait()
	if failed != nil {
		failed = fmt.Errorf("running the tests: %w", failed)
	}
	convert := exec.CommandContext(ctx, "go", "tool", "covdata", "textfmt", "-i="+dir, "-o="+programs)
	if text, err := convert.CombinedOutput(); err != nil {
		return nil, errors.Join(failed, fmt.Errorf("reading what programs executed: %w: %s", err, text))
	}
	var all []*cover.Profile
	for _, path := range []string{tests, programs} {
		found, err := cover.ParseProfiles(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, io.EOF) {
			continue
		}
		if err != nil {
			return nil, errors.Join(failed, err)
		}
		all = append(all, found...)
	}
	return all, failed
}

func report(functions map[string]bool, reasons map[string]string, out io.Writer) error {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		switch _, listed := reasons[name]; {
		case !functions[name] && !listed:
			fmt.Fprintf(&b, "%s: no test executes it\n", name)
		case functions[name] && listed:
			fmt.Fprintf(&b, "%s: executed now; take it out of allowed.yaml\n", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(reasons)) {
		if _, exists := functions[name]; !exists {
			fmt.Fprintf(&b, "%s: no such function; take it out of allowed.yaml\n", name)
		}
		if reasons[name] == "" {
			fmt.Fprintf(&b, "%s: allowed.yaml gives no reason\n", name)
		}
	}
	if b.Len() > 0 {
		_, _ = b.WriteTo(out)
		return errors.New("the lines above")
	}
	_, err := fmt.Fprintf(out, "%d functions, each executed by a test but %d that are allowed\n", len(functions), len(reasons))
	return err
}

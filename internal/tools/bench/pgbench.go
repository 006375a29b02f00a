package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// findPgbench looks beside the server's programs, where packages put it, and on
// the PATH.
func findPgbench(ctx context.Context, conn *pgx.Conn) (string, error) {
	var bin string
	err := conn.QueryRow(ctx, "SELECT setting FROM pg_config WHERE name = 'BINDIR'").Scan(&bin)
	if err != nil {
		return "", fmt.Errorf("looking for pgbench: %w", err)
	}
	path := filepath.Join(bin, "pgbench")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	path, err = exec.LookPath("pgbench")
	if err != nil {
		return "", errors.New("pgbench is missing: install PostgreSQL's own programs (Debian: the package postgresql)")
	}
	return path, nil
}

var parameterPattern = regexp.MustCompile(`\$(\d+)`)

// script is a query of the product as pgbench runs it: prepared, each parameter
// a variable. Expressions take the place of some.
type script struct {
	prologue  string // such as \set lines
	query     string // with $1, $2, …
	variables []any  // of $1, $2, …; a sqlExpression stands in the text itself
}

type sqlExpression string

// text returns the script and the definitions it is called with, which are named
// for its place among the scripts of a call: pgbench has no variables of one script.
func (c script) text(at int) (string, []string) {
	prefix := "p"
	if at > 0 {
		prefix = fmt.Sprintf("q%d_", at)
	}
	var lines []string
	for line := range strings.Lines(c.query) {
		// pgbench would take :many for a variable.
		if !strings.HasPrefix(strings.TrimSpace(line), "--") {
			lines = append(lines, line)
		}
	}
	used := map[int]bool{}
	body := parameterPattern.ReplaceAllStringFunc(strings.TrimSpace(strings.Join(lines, "")), func(found string) string {
		n, _ := strconv.Atoi(found[1:])
		if expression, ok := c.variables[n-1].(sqlExpression); ok {
			return "(" + string(expression) + ")"
		}
		used[n] = true
		return ":" + prefix + found[1:]
	})
	var definitions []string
	for i, v := range c.variables {
		if used[i+1] {
			definitions = append(definitions, fmt.Sprintf("--define=%s%d=%v", prefix, i+1, v))
		}
	}
	return c.prologue + strings.TrimSuffix(body, ";") + ";\n", definitions
}

// pgbenchWorkload runs a query on PostgreSQL alone.
func (s *session) pgbenchWorkload(name string, c script, connections int) (workload, error) {
	return s.pgbenchMode(name, "", connections, c)
}

// pgbenchMode runs scripts at random, with one mode of planning: generic, custom or
// PostgreSQL's choice.
func (s *session) pgbenchMode(name, mode string, connections int, scripts ...script) (workload, error) {
	var files []string
	for i, c := range scripts {
		text, definitions := c.text(i)
		path := filepath.Join(s.dir, fmt.Sprintf("script-%s-%d.sql", strings.NewReplacer(" ", "-", ",", "").Replace(name), i))
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return workload{}, err
		}
		files = append(append(files, definitions...), "--file="+path)
	}
	settings := "-c jit=off -c TimeZone=UTC -c max_parallel_workers_per_gather=0"
	if mode != "" {
		settings += " -c plan_cache_mode=force_" + mode + "_plan"
	}
	run := func(ctx context.Context, seconds int) (sample, error) {
		args := append([]string{
			"--no-vacuum", "--protocol=prepared", "--client=" + strconv.Itoa(connections), "--time=" + strconv.Itoa(seconds),
		}, files...)
		args = append(args, s.cluster.OwnerURL())
		cmd := exec.CommandContext(ctx, s.pgbench, args...)
		cmd.Env = append(environment(), "PGOPTIONS="+settings)
		before := cpuOfTree(s.postmaster)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return sample{}, fmt.Errorf("pgbench: %w: %s", err, out)
		}
		took, err := parsePgbench(string(out))
		if err != nil {
			return sample{}, err
		}
		took.database = (cpuOfTree(s.postmaster) - before) / time.Duration(took.requests)
		return took, nil
	}
	return workload{name, func(ctx context.Context, d time.Duration) (sample, error) {
		seconds := max(int(d.Round(time.Second).Seconds()), 1)
		took, err := run(ctx, seconds)
		if errors.Is(err, errRanNothing) { // it spent the time on preparing many scripts
			took, err = run(ctx, 5*seconds)
		}
		return took, err
	}}, nil
}

// errRanNothing: no transaction ended in time.
var errRanNothing = errors.New("pgbench ran nothing")

var pgbenchFigures = map[string]*regexp.Regexp{
	"transactions": regexp.MustCompile(`(?m)^number of transactions actually processed: (\d+)`),
	"latency":      regexp.MustCompile(`(?m)^latency average = ([0-9.]+) ms`),
	"rate":         regexp.MustCompile(`(?m)^tps = ([0-9.]+) `),
}

func parsePgbench(out string) (sample, error) {
	if strings.Contains(out, "actually processed: 0\n") { // then it prints no latency
		return sample{}, fmt.Errorf("%w: %s", errRanNothing, out)
	}
	figure := map[string]float64{}
	for name, pattern := range pgbenchFigures {
		found := pattern.FindStringSubmatch(out)
		if found == nil {
			return sample{}, fmt.Errorf("pgbench tells no %s: %s", name, out)
		}
		var err error
		if figure[name], err = strconv.ParseFloat(found[1], 64); err != nil {
			return sample{}, fmt.Errorf("pgbench's %s: %w", name, err)
		}
	}
	return sample{
		requests: int(figure["transactions"]), rate: figure["rate"],
		mean: time.Duration(figure["latency"] * float64(time.Millisecond)),
	}, nil
}

package main

import (
	"cmp"
	"context"
	_ "embed" // the help texts
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/postgres"
)

// environment is what a command reads and writes besides its arguments.
type environment struct {
	environ []string // NAME=VALUE
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer

	started  bool // the command began: its flags and arguments were accepted
	json     bool // --json is given
	settings config.Settings
	// settingsError joins the mistakes in servers' settings of the environment.
	settingsError error
}

func newRoot(e *environment) *cobra.Command {
	root := &cobra.Command{
		Use:           "clientintel",
		Short:         "A brand's customer interviews, read over HTTP: exact, scoped to one client, provable",
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			if cmd.Name() == "serve" { // its log has it
				return
			}
			for _, u := range config.UnknownVariables(e.environ) {
				fmt.Fprintln(e.stderr, "warning:", u)
			}
		},
	}
	root.SetIn(e.stdin)
	root.SetOut(e.stdout)
	root.SetErr(e.stderr)
	e.settings, e.settingsError = config.FromEnv(e.getenv)
	withDatabase := []*cobra.Command{
		newServe(e), newDemo(e), newMigrate(e), newImport(e), newSync(e), newErase(e), newKeys(e), newClients(e), newMeasurement(e), newDoctor(e), newConfig(e),
	}
	for _, cmd := range withDatabase {
		addFlags(cmd.PersistentFlags(), &e.settings.Database)
	}
	root.AddCommand(withDatabase...)
	root.AddCommand(newVersion(e), newVerify(e), newHealth(e), newConformance(e))
	addHelp(root)
	root.InitDefaultCompletionCmd()
	e.complete(root)
	return root
}

// complete makes the command and those below it record that they started. One that does
// nothing by itself prints its help, and one that names no arguments takes none.
func (e *environment) complete(cmd *cobra.Command) {
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		e.started = true
		if do == nil {
			return cmd.Help()
		}
		return do(cmd, args)
	}
	if cmd.Args == nil && cmd.HasParent() { // cobra checks the root's, and makes suggestions
		cmd.Args = noArguments
	}
	for _, below := range cmd.Commands() {
		e.complete(below)
	}
}

//go:embed help.yaml
var helpTexts []byte

func addHelp(root *cobra.Command) {
	texts := map[string]struct{ Long, Example, Role string }{}
	if err := yaml.Unmarshal(helpTexts, &texts); err != nil {
		panic(err) // a file of ours
	}
	for path, text := range texts {
		cmd, rest, err := root.Find(strings.Fields(path))
		if err != nil || len(rest) > 0 {
			panic("help.yaml names no command: " + path)
		}
		cmd.Long, cmd.Example = text.Long, text.Example
		cmd.Annotations = map[string]string{"role": text.Role}
	}
	addRole(root, "")
}

// addRole says which role of the database a command needs, and those below it.
func addRole(cmd *cobra.Command, role string) {
	role = cmp.Or(cmd.Annotations["role"], role)
	if role != "" {
		cmd.Long = cmp.Or(cmd.Long, cmd.Short+".") + "\n\nDatabase role: " + role + "."
	}
	for _, below := range cmd.Commands() {
		addRole(below, role)
	}
}

// getenv returns the value of a variable, the last one if it is set twice.
func (e *environment) getenv(name string) string {
	value := ""
	for _, pair := range e.environ {
		if n, v, _ := strings.Cut(pair, "="); n == name {
			value = v
		}
	}
	return value
}

// addFlags adds a flag for each setting that has one.
func addFlags(flags *pflag.FlagSet, settings any) {
	for _, f := range config.Fields(settings) {
		if f.Flag == "" {
			continue
		}
		flags.Var(f, f.Flag, f.Meaning+" ("+f.Variable+")")
		if f.Hidden() {
			flags.Lookup(f.Flag).DefValue = "" // help must not print a password
		}
	}
}

// group makes a command that only has subcommands.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(commands...)
	return cmd
}

func (e *environment) jsonFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&e.json, "json", false, "print JSON")
	return cmd
}

// required makes flags of a command required.
func required(cmd *cobra.Command, flags ...string) *cobra.Command {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // the command has no such flag
		}
	}
	return cmd
}

// print writes v as JSON where --json is given, and as text otherwise.
func (e *environment) print(v any, text func() error) error {
	if !e.json {
		return text()
	}
	encoder := json.NewEncoder(e.stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// printList is print for a list. Its text is a table of a header and a row for each
// item, with their cells separated by tabs. Control characters in a cell become question
// marks: a name must not break the line or move the cursor.
func printList[T any](e *environment, items []T, header string, row func(T) string) error {
	return e.print(items, func() error {
		table := tabwriter.NewWriter(e.stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, header)
		for _, item := range items {
			fmt.Fprintln(table, strings.ReplaceAll(printable(row(item)), "\n", "?"))
		}
		return table.Flush()
	})
}

// printable is a text whose control characters are question marks, but tabs and the ends of
// lines: a name, or another system's error, must not move the cursor.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return '?'
		}
		return r
	}, text)
}

// textLog is the log of a command that a person runs at a terminal.
func (e *environment) textLog() *slog.Logger {
	return slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{
		Level: slog.LevelInfo,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		},
	}))
}

// withDatabase opens the database for one command and closes it afterwards.
func (e *environment) withDatabase(ctx context.Context, log *slog.Logger, do func(*app.Database) error) error {
	if err := e.settings.Database.CheckNamed(); err != nil {
		return &usageError{err}
	}
	database, err := app.OpenDatabase(ctx, e.settings.Database, log)
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if err := database.Close(closing); err != nil {
			log.Warn("closing the database", "error", err.Error())
		}
	}()
	return do(database)
}

// connected connects for one command, and closes the connection afterwards.
func (e *environment) connected(ctx context.Context, c app.Command, do func(*pgx.Conn) error) error {
	return e.withDatabase(ctx, e.textLog(), func(d *app.Database) error { return e.connectedTo(ctx, d, c, do) })
}

func (e *environment) connectedTo(ctx context.Context, d *app.Database, c app.Command, do func(*pgx.Conn) error) error {
	conn, err := d.Connect(ctx, c)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := postgres.CheckSeesClients(ctx, conn); err != nil {
		return err
	}
	return do(conn)
}

// How commands work with the database.
var (
	asOwner    = app.Command{}
	asImporter = app.Command{Roles: []string{postgres.ImporterRole}}
	// importing may begin with an empty database.
	importing = app.Command{Roles: asImporter.Roles, Creates: true}
	asKeys    = app.Command{Roles: []string{postgres.KeysRole}, Creates: true, Newer: true}
	asAuditor = app.Command{Roles: []string{postgres.AuditorRole, postgres.KeysRole}, Creates: true, Newer: true}
)

// progress shows a line on a terminal, in place of the one before; empty text clears it.
func (e *environment) progress(format string, args ...any) {
	if isTerminal(e.stderr) {
		fmt.Fprintf(e.stderr, "\r"+format+"\x1b[K", args...)
	}
}

// isTerminal reports whether the stream is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

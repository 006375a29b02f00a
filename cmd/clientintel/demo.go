package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/demodata"
	"github.com/clientintel/clientintel/internal/importer"
)

func newDemo(e *environment) *cobra.Command {
	var newKeys bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Serve two invented brands, with keys and links that open ready",
		RunE: func(cmd *cobra.Command, _ []string) error {
			settings := &e.settings.Server
			settings.ResponseValidation = config.Enforce
			if !cmd.Flags().Changed("drain-delay") && e.getenv("CLIENTINTEL_DRAIN_DELAY") == "" {
				settings.DrainDelay = 0 // no load balancer asks
			}
			if err := e.checkServer(); err != nil {
				return err
			}
			if strings.HasSuffix(settings.Listen, ":0") && e.getenv("CLIENTINTEL_CONSOLE_LISTEN") == "" {
				e.settings.Console.Listen = "127.0.0.1:0" // a free port, as the API's
			}
			if e.settings.Database.DataDir == "" {
				e.settings.Database.DataDir = config.DemoDataDir(e.getenv)
			}
			return e.demo(cmd.Context(), *settings, newKeys)
		},
	}
	addFlags(cmd.Flags(), &e.settings.Server)
	cmd.Flags().BoolVar(&newKeys, "new-keys", false, "revoke the demo's keys and issue others")
	return cmd
}

func (e *environment) demo(ctx context.Context, settings config.Server, newKeys bool) error {
	// A busy address is reported before the work, not after it.
	for _, address := range []struct{ value, flag string }{{settings.Listen, "--listen"}, {settings.OpsListen, "--ops-listen"}, {e.settings.Console.Listen, "CLIENTINTEL_CONSOLE_LISTEN"}} {
		l, err := app.Listen(ctx, address.value, address.flag)
		if err != nil {
			return err
		}
		l.Close()
	}
	if settings.PublicURL == "" && !strings.HasSuffix(settings.Listen, ":0") {
		// The guides then show this address in their commands.
		settings.PublicURL = settings.BaseURL(settings.Listen)
	}
	log := e.textLog()
	log.Info("starting the database", "in", e.settings.Database.DataDir)
	return e.withDatabase(ctx, log, func(d *app.Database) error {
		if err := d.Migrate(ctx); err != nil {
			return err
		}
		var issued []demoKey
		err := e.connectedTo(ctx, d, asOwner, func(conn *pgx.Conn) error {
			if err := onlyDemoBrands(ctx, conn); err != nil {
				return err
			}
			log.Info("importing the demo brands")
			reader, writer := io.Pipe()
			go func() { writer.CloseWithError(demodata.Demo(writer, time.Now().UTC())) }()
			err := e.importRecords(ctx, conn, []importer.Source{importer.Stream("the demo", reader)}, importer.Options{})
			if err == nil {
				issued, err = issueDemoKeys(ctx, apikey.NewRegistry(conn), e.settings.Database.DataDir, newKeys)
			}
			return err
		})
		if err != nil {
			return err
		}
		// A person reads this terminal: it gets warnings only.
		quiet := slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan error, 1)
		started := false
		err = serve(ctx, d, settings, quiet, func(address, _ string) {
			base := settings.BaseURL(address)
			if settings.PublicURL != "" {
				base = strings.TrimRight(settings.PublicURL, "/")
			}
			started = true
			link, err := startDemoConsole(ctx, d, e.settings.Console, base, issued[len(issued)-1].brand.ID, quiet, ended)
			if err != nil {
				cancel()
				return
			}
			e.printDemo(base, link, issued)
		})
		cancel()
		if started {
			err = errors.Join(err, <-ended)
		}
		return err
	})
}

// onlyDemoBrands refuses a database with other clients: invented interviews must not be
// added to real ones.
func onlyDemoBrands(ctx context.Context, conn *pgx.Conn) error {
	ids := make([]string, 0, 2)
	for _, b := range demodata.Brands() {
		ids = append(ids, b.ID.String())
	}
	var others int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM clients WHERE id::text <> ALL ($1)", ids).Scan(&others); err != nil {
		return fmt.Errorf("looking for other clients: %w", err)
	}
	if others > 0 {
		return errors.New("this database holds other clients than the demo's: unset DATABASE_URL, or name another --data-dir")
	}
	return nil
}

// printDemo prints the keys, and what opens ready with them. The keys are in links and
// lines: invented data needs no secrecy.
func (e *environment) printDemo(base, console string, keys []demoKey) {
	out := e.stdout
	var brand, full string
	for _, k := range keys {
		if k.brand.Slug != brand {
			brand = k.brand.Slug
			fmt.Fprintf(out, "\n%s (%s, %s measurement)\n", k.brand.Name, k.brand.Trade, k.brand.Mode)
		}
		fmt.Fprintf(out, "  %-30s %s\n", strings.TrimPrefix(k.name, "demo: "), k.key)
		if k.name == "demo: every scope" && k.brand.Mode == "canonical" {
			full = k.key
		}
	}
	endpoint := base + "/api/client/v1/mcp"
	fmt.Fprintf(out, "\nOpen, with the last brand's key of every scope:\n\n")
	fmt.Fprintf(out, "  Explore the numbers   %s/explore#key=%s\n", base, full)
	fmt.Fprintf(out, "  Read and try the API  %s/docs#key=%s\n", base, full)
	fmt.Fprintf(out, "  Issue and revoke keys %s\n  (signed in for an hour as that brand's administrator)\n", console)
	fmt.Fprintf(out, "\nConnect an agent by MCP:\n\n")
	fmt.Fprintf(out, "  Cursor          %s\n", mcpServers(map[string]any{"url": endpoint, "headers": bearer(full)}))
	fmt.Fprintf(out, "  Claude Desktop  %s\n", mcpServers(map[string]any{
		"command": "npx", "args": []string{"-y", "mcp-remote", endpoint, "--header", "Authorization:${KEY}"}, "env": map[string]string{"KEY": "Bearer " + full},
	}))
	fmt.Fprintf(out, "  VS Code         code --add-mcp '%s'\n", line(map[string]any{"name": "clientintel", "type": "http", "url": endpoint, "headers": bearer(full)}))
	fmt.Fprintf(out, "\nOr paste:\n\ncurl -s -H 'Authorization: Bearer %s' '%s/api/client/v1/campaigns?limit=1'\n", full, base)
	fmt.Fprintf(out, "\nServing at %s until you press Ctrl-C.\n", base)
}

func bearer(key string) map[string]string { return map[string]string{"Authorization": "Bearer " + key} }

// mcpServers is the configuration of a host with one server.
func mcpServers(server map[string]any) string {
	return line(map[string]any{"mcpServers": map[string]any{"clientintel": server}})
}

func line(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts always encode
	}
	return string(text)
}

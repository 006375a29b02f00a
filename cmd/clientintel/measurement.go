package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/measurement"
)

func newMeasurement(s *surroundings) *cobra.Command {
	m := &cobra.Command{
		Use:   "measurement",
		Short: "Audit, rebuild and switch canonical measurement",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return usagef("name what to do: audit, rebuild or cutover")
		},
	}
	m.AddCommand(newMeasurementAudit(s), newMeasurementRebuild(s), newMeasurementCutover(s))
	return m
}

func newMeasurementAudit(s *surroundings) *cobra.Command {
	var client string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Count every canonical client's members anew, and mark a client whose state differs",
		Long: `Count every canonical client's members anew from the raw facts, each client in
one snapshot, and compare. A canonical client that differs is marked: its
requests are answered 503 until it is rebuilt. Exits 1 when anything differs or
is still marked. Readers and writers go on meanwhile.`,
		Args: asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return s.withMeasurement(ctx, func(k *measurement.Keeper) error {
				audits, err := s.audit(ctx, k, client)
				if err != nil {
					return err
				}
				return s.showAudits(audits, asJSON)
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "only this client, by id or slug, legacy or canonical")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (s *surroundings) audit(ctx context.Context, k *measurement.Keeper, named string) ([]measurement.Audit, error) {
	clients, err := k.Clients(ctx, named)
	if err != nil {
		return nil, err
	}
	watched := isTerminal(s.stderr)
	audits := make([]measurement.Audit, 0, len(clients))
	for i, c := range clients {
		if watched {
			fmt.Fprintf(s.stderr, "\rauditing %s (%d of %d)\x1b[K", c.Slug, i+1, len(clients))
		}
		var a measurement.Audit
		if a, err = k.Audit(ctx, c); err != nil {
			break
		}
		audits = append(audits, a)
	}
	if watched {
		fmt.Fprint(s.stderr, "\r\x1b[K")
	}
	return audits, err
}

func (s *surroundings) showAudits(audits []measurement.Audit, asJSON bool) error {
	print := func() error { return printAudits(s.stdout, audits) }
	if asJSON {
		print = func() error { return printJSON(s.stdout, audits) }
	}
	if err := print(); err != nil {
		return err
	}
	unsound := 0
	for _, a := range audits {
		if !a.Sound() {
			unsound++
		}
	}
	if unsound > 0 {
		fmt.Fprintf(s.stderr, "%d of %d clients need 'clientintel measurement rebuild --client CLIENT'\n", unsound, len(audits))
		return errTold
	}
	return nil
}

func printAudits(w io.Writer, audits []measurement.Audit) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLIENT\tMODE\tSTATE\tFACTS\tSECONDS\tRESULT")
	for _, a := range audits {
		state := "missing"
		if a.Members != nil {
			state = fmt.Sprint(*a.Members)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%.1f\t%s\n", a.Slug, a.Mode, state, a.Found, a.Seconds, resultOf(a))
	}
	return table.Flush()
}

func resultOf(a measurement.Audit) string {
	switch {
	case a.Fault != nil:
		return "differs: " + *a.Fault
	case a.BrokenAt != nil:
		return fmt.Sprintf("agrees, but marked broken since %s: %s", measurement.Timestamp(*a.BrokenAt), *a.BrokenReason)
	default:
		return "agrees"
	}
}

func newMeasurementRebuild(s *surroundings) *cobra.Command {
	var client string
	cmd := &cobra.Command{
		Use:   "rebuild --client CLIENT",
		Short: "Make a client's state true again and clear its mark",
		Long: `Count a client's members anew from the raw facts, put its state right and clear
its mark. Safe beside writers; readers see the right number when it is done.
Triggers that were switched off are switched on first; every other canonical
client is marked then, as its count may have missed something: rebuild each.`,
		Args: asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if client == "" {
				return usagef("--client is needed: whose measurement is to be rebuilt?")
			}
			ctx := cmd.Context()
			return s.withMeasured(ctx, client, func(k *measurement.Keeper, c measurement.Client) error {
				mended, err := k.Rebuild(ctx, c)
				if err != nil {
					return err
				}
				s.showMend(mended)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "the client's id or slug")
	return cmd
}

func (s *surroundings) showMend(m measurement.Mend) {
	if m.Guards > 0 {
		fmt.Fprintf(s.stderr, "%d triggers that keep the count were switched off and are on again: every canonical client has to be rebuilt\n", m.Guards)
	}
	if m.Rejudged > 0 {
		fmt.Fprintf(s.stderr, "%d interviews were judged by an outdated liveness of their campaign\n", m.Rejudged)
	}
	switch {
	case m.Corrected != 0:
		fmt.Fprintf(s.stderr, "%s: the count was off by %d and is now %d\n", m.Slug, -m.Corrected, m.Members)
	case m.Changed:
		fmt.Fprintf(s.stderr, "%s: the count stood for other members; it is %d, of the right ones now\n", m.Slug, m.Members)
	default:
		fmt.Fprintf(s.stderr, "%s: the count was right: %d\n", m.Slug, m.Members)
	}
	if m.WasBroken {
		fmt.Fprintf(s.stderr, "%s: the mark is cleared; requests are answered again\n", m.Slug)
	}
}

func newMeasurementCutover(s *surroundings) *cobra.Command {
	var client, version string
	var legacy bool
	cmd := &cobra.Command{
		Use:   "cutover --client CLIENT (--contract-version VERSION | --legacy)",
		Short: "Prove a client's measurement and switch it to canonical, or back to legacy",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case client == "":
				return usagef("--client is needed: whose measurement is to be switched?")
			case legacy == (version != ""):
				return usagef("name either --contract-version, to switch to canonical, or --legacy")
			case !legacy && version != measurement.ContractVersion:
				return usagef("--contract-version: this release knows %s; with %q its servers would answer 503 to every request of the client",
					measurement.ContractVersion, version)
			}
			ctx := cmd.Context()
			return s.withMeasured(ctx, client, func(k *measurement.Keeper, c measurement.Client) error {
				if legacy {
					return s.returnToLegacy(ctx, k, c)
				}
				return s.cutOver(ctx, k, c)
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "the client's id or slug")
	cmd.Flags().StringVar(&version, "contract-version", "", "switch to canonical measurement of this version: "+measurement.ContractVersion)
	cmd.Flags().BoolVar(&legacy, "legacy", false, "switch back to legacy measurement")
	return cmd
}

func (s *surroundings) cutOver(ctx context.Context, k *measurement.Keeper, c measurement.Client) error {
	members, err := k.CutOver(ctx, c)
	var fault *measurement.FaultError
	if errors.As(err, &fault) {
		return fmt.Errorf("%s stays %s: %w: run 'clientintel measurement rebuild --client %s' first", c.Slug, c.Mode, err, c.Slug)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "%s is canonical (%s): %d interviews, proven\n", c.Slug, measurement.ContractVersion, members)
	return nil
}

func (s *surroundings) returnToLegacy(ctx context.Context, k *measurement.Keeper, c measurement.Client) error {
	if err := k.ReturnToLegacy(ctx, c); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, "%s is legacy: its responses carry no totals\n", c.Slug)
	return nil
}

// withMeasured finds one client.
func (s *surroundings) withMeasured(
	ctx context.Context, named string, do func(*measurement.Keeper, measurement.Client) error,
) error {
	return s.withMeasurement(ctx, func(k *measurement.Keeper) error {
		clients, err := k.Clients(ctx, named)
		if err != nil {
			return err
		}
		return do(k, clients[0])
	})
}

// withMeasurement works on measurement in a database whose schema is up to date.
func (s *surroundings) withMeasurement(ctx context.Context, do func(*measurement.Keeper) error) error {
	log := s.people()
	return s.withDatabase(ctx, log, func(d *app.Database) error {
		if err := d.Migrate(ctx, log); err != nil {
			return err
		}
		conn, err := d.ConnectOwner(ctx)
		if err != nil {
			return err
		}
		defer conn.Close(context.WithoutCancel(ctx))
		return do(measurement.NewKeeper(conn))
	})
}

package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
)

func newMeasurement(e *environment) *cobra.Command {
	return group("measurement", "Audit, rebuild and switch canonical measurement",
		newMeasurementAudit(e), newMeasurementRebuild(e), newMeasurementCutover(e))
}

// measurementCommand makes a command that maintains the measurement of clients.
func (e *environment) measurementCommand(use, short string, do func(context.Context, *measurement.Maintenance) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.connected(cmd.Context(), asOwner, func(conn *pgx.Conn) error {
				return do(cmd.Context(), measurement.NewMaintenance(conn))
			})
		},
	}
}

func newMeasurementAudit(e *environment) *cobra.Command {
	var client string
	cmd := e.measurementCommand("audit", "Count every canonical client's members anew, and mark a client whose state differs",
		func(ctx context.Context, m *measurement.Maintenance) error {
			clients, err := m.Clients(ctx, client, false)
			if err != nil {
				return err
			}
			audits := make([]measurement.Audit, len(clients))
			for i, c := range clients {
				e.progress("auditing %s (%d of %d)", c.Slug, i+1, len(clients))
				if audits[i], err = m.Audit(ctx, c); err != nil {
					break
				}
			}
			e.progress("")
			if err != nil {
				return err
			}
			return e.printAudits(audits)
		})
	cmd.Flags().StringVar(&client, "client", "", "only this client, by id or slug, legacy or canonical")
	return e.jsonFlag(cmd)
}

func (e *environment) printAudits(audits []measurement.Audit) error {
	inconsistent := 0
	for _, a := range audits {
		if !a.Consistent() {
			inconsistent++
		}
	}
	err := printList(e, audits, "CLIENT\tMODE\tSTATE\tFACTS\tSECONDS\tRESULT", func(a measurement.Audit) string {
		state := "missing"
		if a.Members != nil {
			state = fmt.Sprint(*a.Members)
		}
		return fmt.Sprintf("%s\t%s\t%s\t%d\t%.1f\t%s", a.Slug, a.MeasurementMode, state, a.FoundMembers, a.Seconds, resultOf(a))
	})
	if err != nil {
		return err
	}
	if inconsistent > 0 {
		fmt.Fprintf(e.stderr, "%d of %d clients need 'clientintel measurement rebuild --client CLIENT', or --all\n", inconsistent, len(audits))
		return errReported
	}
	return nil
}

func resultOf(a measurement.Audit) string {
	switch {
	case a.Fault != nil:
		return "differs: " + *a.Fault
	case a.OutdatedSearchDocuments > 0:
		return fmt.Sprintf("differs: %d search documents are not what their interviews say", a.OutdatedSearchDocuments)
	case a.BrokenAt != nil:
		return fmt.Sprintf("agrees, but marked broken since %s: %s", basis.AppendTime(nil, *a.BrokenAt), *a.BrokenReason)
	default:
		return "agrees"
	}
}

func newMeasurementRebuild(e *environment) *cobra.Command {
	var client string
	var all bool
	cmd := e.measurementCommand("rebuild (--client CLIENT | --all)", "Make counts and search documents true again and clear the marks of clients",
		func(ctx context.Context, m *measurement.Maintenance) error {
			clients, err := m.Clients(ctx, client, all)
			if err != nil {
				return err
			}
			for _, c := range clients {
				result, err := m.Rebuild(ctx, c)
				if err != nil {
					return err
				}
				e.printRebuild(result)
			}
			return nil
		})
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if all == (client != "") {
			return usagef("specify either --client or --all")
		}
		return nil
	}
	cmd.Flags().StringVar(&client, "client", "", "the client's id or slug")
	cmd.Flags().BoolVar(&all, "all", false, "every client")
	return cmd
}

func (e *environment) printRebuild(m measurement.RebuildResult) {
	if m.Rejudged > 0 {
		fmt.Fprintf(e.stderr, "%d interviews were judged by an outdated liveness of their campaign\n", m.Rejudged)
	}
	switch {
	case m.Corrected != 0:
		fmt.Fprintf(e.stderr, "%s: the count was off by %d and is now %d\n", m.Slug, -m.Corrected, m.Members)
	case m.Changed:
		fmt.Fprintf(e.stderr, "%s: the count stood for other members; it is %d, of the right ones now\n", m.Slug, m.Members)
	default:
		fmt.Fprintf(e.stderr, "%s: the count was right: %d\n", m.Slug, m.Members)
	}
	if m.CorrectedSearchDocuments > 0 {
		fmt.Fprintf(e.stderr, "%s: %d search documents are corrected\n", m.Slug, m.CorrectedSearchDocuments)
	}
	if m.WasBroken {
		fmt.Fprintf(e.stderr, "%s: the mark is cleared; requests are answered again\n", m.Slug)
	}
}

func newMeasurementCutover(e *environment) *cobra.Command {
	var client, version string
	var legacy bool
	cmd := e.measurementCommand("cutover --client CLIENT (--contract-version VERSION | --legacy)",
		"Prove a client's measurement and switch it to canonical, or back to legacy",
		func(ctx context.Context, m *measurement.Maintenance) error {
			clients, err := m.Clients(ctx, client, false)
			if err != nil {
				return err
			}
			c := clients[0]
			if legacy {
				if err := m.ReturnToLegacy(ctx, c); err != nil {
					return err
				}
				fmt.Fprintf(e.stderr, "%s is legacy: its responses carry no totals\n", c.Slug)
				return nil
			}
			members, err := m.CutOver(ctx, c)
			if err != nil {
				return err
			}
			fmt.Fprintf(e.stderr, "%s is canonical (%s): %d interviews, proven\n", c.Slug, measurement.ContractVersion, members)
			return nil
		})
	cmd.PreRunE = func(*cobra.Command, []string) error {
		switch {
		case legacy == (version != ""):
			return usagef("specify either --contract-version or --legacy")
		case !legacy && version != measurement.ContractVersion:
			return usagef("--contract-version: this release knows %s; with %q its servers would answer 503 to every request of the client",
				measurement.ContractVersion, version)
		}
		return nil
	}
	cmd.Flags().StringVar(&client, "client", "", "the client's id or slug (required)")
	cmd.Flags().StringVar(&version, "contract-version", "", "switch to canonical measurement of this version: "+measurement.ContractVersion)
	cmd.Flags().BoolVar(&legacy, "legacy", false, "switch back to legacy measurement")
	return required(cmd, "client")
}

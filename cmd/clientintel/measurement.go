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
	return group("measurement", "Audit, rebuild and switch canonical measurement", "audit, rebuild or cutover",
		newMeasurementAudit(e), newMeasurementRebuild(e), newMeasurementCutover(e))
}

func newMeasurementAudit(e *environment) *cobra.Command {
	var client string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Count every canonical client's members anew, and mark a client whose state differs",
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return e.withMeasurement(ctx, func(m *measurement.Maintenance) error {
				audits, err := e.audit(ctx, m, client)
				if err != nil {
					return err
				}
				return e.printAudits(audits)
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "only this client, by id or slug, legacy or canonical")
	return e.jsonFlag(cmd)
}

func (e *environment) audit(ctx context.Context, m *measurement.Maintenance, named string) ([]measurement.Audit, error) {
	clients, err := m.Clients(ctx, named, false)
	if err != nil {
		return nil, err
	}
	defer e.progress("")
	audits := make([]measurement.Audit, 0, len(clients))
	for i, c := range clients {
		e.progress("auditing %s (%d of %d)", c.Slug, i+1, len(clients))
		a, err := m.Audit(ctx, c)
		if err != nil {
			return nil, err
		}
		audits = append(audits, a)
	}
	return audits, nil
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
	cmd := &cobra.Command{
		Use:   "rebuild (--client CLIENT | --all)",
		Short: "Make counts and search documents true again and clear the marks of clients",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all == (client != "") {
				return usagef("name either --client, whose measurement is to be rebuilt, or --all")
			}
			ctx := cmd.Context()
			return e.withMeasurement(ctx, func(m *measurement.Maintenance) error {
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
		},
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
	cmd := &cobra.Command{
		Use:   "cutover --client CLIENT (--contract-version VERSION | --legacy)",
		Short: "Prove a client's measurement and switch it to canonical, or back to legacy",
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
			return e.withMeasurement(ctx, func(m *measurement.Maintenance) error {
				clients, err := m.Clients(ctx, client, false)
				if err != nil {
					return err
				}
				c := clients[0]
				if !legacy {
					return e.cutOver(ctx, m, c)
				}
				if err := m.ReturnToLegacy(ctx, c); err != nil {
					return err
				}
				fmt.Fprintf(e.stderr, "%s is legacy: its responses carry no totals\n", c.Slug)
				return nil
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "the client's id or slug")
	cmd.Flags().StringVar(&version, "contract-version", "", "switch to canonical measurement of this version: "+measurement.ContractVersion)
	cmd.Flags().BoolVar(&legacy, "legacy", false, "switch back to legacy measurement")
	return cmd
}

func (e *environment) cutOver(ctx context.Context, m *measurement.Maintenance, c measurement.Client) error {
	members, err := m.CutOver(ctx, c)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s is canonical (%s): %d interviews, proven\n", c.Slug, measurement.ContractVersion, members)
	return nil
}

func (e *environment) withMeasurement(ctx context.Context, do func(*measurement.Maintenance) error) error {
	return e.withOwner(ctx, func(conn *pgx.Conn) error { return do(measurement.NewMaintenance(conn)) })
}

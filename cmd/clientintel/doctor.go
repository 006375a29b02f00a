package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/doctor"
)

func newDoctor(e *environment) *cobra.Command {
	return e.jsonFlag(&cobra.Command{
		Use:   "doctor",
		Short: "Examine the database, and say what to do",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withDatabase(cmd.Context(), e.textLog(), func(d *app.Database) error {
				examined := doctor.Database{
					OwnerURL: d.OwnerURL, ServerURL: d.ServerURL,
					ReplicaURL: e.settings.Server.ReplicaURL, MaxLag: e.settings.Server.ReplicaMaxLag,
				}
				findings := []doctor.Finding{}
				doctor.Examine(cmd.Context(), examined, func(f doctor.Finding) {
					findings = append(findings, f)
					if !e.json {
						printFinding(e.stdout, f)
					}
				})
				isWrong := slices.ContainsFunc(findings, func(f doctor.Finding) bool { return f.State == doctor.Wrong })
				return failedIf(isWrong, e.print(findings, func() error { return nil }))
			})
		},
	})
}

func printFinding(w io.Writer, f doctor.Finding) {
	state := string(f.State)
	if f.State == doctor.Wrong {
		state = "WRONG"
	}
	fmt.Fprintf(w, "%-8s %s: %s\n", state, f.Name, f.Message)
	if f.Advice != "" {
		fmt.Fprintf(w, "         %s\n", f.Advice)
	}
}

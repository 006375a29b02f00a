package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/config"
)

// setting is a setting in force, as config prints it.
type setting struct {
	Variable string `json:"variable"`
	Flag     string `json:"flag"`
	Value    string `json:"value"`
	From     string `json:"from"`
}

func newConfig(e *environment) *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in force and where each comes from",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := e.checkServer(); err != nil {
				return err
			}
			var unknown []string
			for _, u := range config.UnknownVariables(e.environ) {
				text := "no setting is called " + u.Variable
				if u.Nearest != "" {
					text += ": is " + u.Nearest + " meant?"
				}
				unknown = append(unknown, text)
			}
			if strict && len(unknown) > 0 {
				return usagef("%s", strings.Join(unknown, "\n"))
			}
			for _, text := range unknown {
				fmt.Fprintln(e.stderr, "warning:", text)
			}
			return printList(e, e.inForce(cmd), "VARIABLE\tFLAG\tVALUE\tFROM", func(s setting) string {
				return strings.Join([]string{s.Variable, s.Flag, s.Value, s.From}, "\t")
			})
		},
	}
	addFlags(cmd.Flags(), &e.settings.Server)
	cmd.Flags().BoolVar(&strict, "strict", false, "fail on a CLIENTINTEL_… variable that is no setting")
	return e.jsonFlag(cmd)
}

func (e *environment) inForce(cmd *cobra.Command) []setting {
	var settings []setting
	for _, f := range config.Fields(&e.settings) {
		s := setting{Variable: f.Variable, Value: f.Redacted(), From: "default"}
		if s.Value == "" {
			s.Value = f.Default
		}
		if e.getenv(f.Variable) != "" {
			s.From = "environment"
		}
		if f.Flag != "" {
			s.Flag = "--" + f.Flag
			if cmd.Flags().Changed(f.Flag) {
				s.From = "flag"
			}
		}
		settings = append(settings, s)
	}
	return settings
}

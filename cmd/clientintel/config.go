package main

import (
	"cmp"
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
			if unknown := config.UnknownVariables(e.environ); strict && len(unknown) > 0 {
				var texts []string
				for _, u := range unknown {
					texts = append(texts, u.String())
				}
				return usagef("%s", strings.Join(texts, "\n"))
			}
			return printList(e, e.inForce(cmd), "VARIABLE\tFLAG\tVALUE\tFROM", func(s setting) string {
				return strings.Join([]string{s.Variable, s.Flag, s.Value, s.From}, "\t")
			})
		},
	}
	addFlags(cmd.Flags(), &e.settings.Server)
	cmd.Flags().BoolVar(&strict, "strict", false, "fail on a variable that is a misspelled setting")
	return e.jsonFlag(cmd)
}

func (e *environment) inForce(cmd *cobra.Command) []setting {
	var settings []setting
	for _, f := range config.Fields(&e.settings) {
		s := setting{Variable: f.Variable, Value: cmp.Or(f.Redacted(), f.Default), From: "default"}
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

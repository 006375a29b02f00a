package main

import (
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/importer"
)

func newErase(e *environment) *cobra.Command {
	var client, interview, email string
	var yes, withdraw bool
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Erase what a client has of one person",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if client == "" || (interview == "") == (email == "") {
				return usagef("--client and either --interview or --email are needed: whose records, and of whom?")
			}
			who := importer.Person{Email: email}
			if interview != "" {
				id, err := uuid.Parse(interview)
				if err != nil {
					return usagef("--interview must be the id of an interview, not %q", interview)
				}
				who.Interview = id
			}
			return e.withNamedClient(cmd.Context(), asImporter, client, func(conn *pgx.Conn, named db.FindClientRow) error {
				found, err := importer.Erase(cmd.Context(), conn, named.ID, who, yes, withdraw, e.tellWaiting)
				if err != nil {
					return err
				}
				return e.print(found, func() error { return e.printErased(found, yes) })
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&client, "client", "", "the client, by id or slug")
	flags.StringVar(&interview, "interview", "", "the id of the person's interview")
	flags.StringVar(&email, "email", "", "the person's address")
	flags.BoolVar(&yes, "yes", false, "erase; otherwise what would be is only listed")
	flags.BoolVar(&withdraw, "withdraw", false, "withdraw the documents that name the person")
	return e.jsonFlag(cmd)
}

func (e *environment) printErased(found importer.Erased, done bool) error {
	verb := map[bool]string{true: "erased", false: "found"}[done]
	for _, id := range found.Interviews {
		if _, err := fmt.Fprintf(e.stdout, "%s interview %s\n", verb, id); err != nil {
			return err
		}
	}
	for _, m := range found.Mentions {
		what := map[string]string{
			"changed": "no longer lists the interview", "withdrawn": "is withdrawn", "nothing": "names the person, and was left as it is",
		}[m.Done]
		if _, err := fmt.Fprintf(e.stdout, "%s %s %s\n", m.Kind, m.ID, what); err != nil {
			return err
		}
	}
	return nil
}

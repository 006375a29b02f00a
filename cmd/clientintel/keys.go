package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/app"
)

func newKeys(s *surroundings) *cobra.Command {
	keys := &cobra.Command{
		Use:   "keys",
		Short: "Issue, rotate, revoke and list API keys",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usagef("name what to do: issue, rotate, revoke or list")
		},
	}
	keys.AddCommand(newKeysIssue(s), newKeysRotate(s), newKeysRevoke(s), newKeysList(s))
	return keys
}

func newKeysIssue(s *surroundings) *cobra.Command {
	var request apikey.Request
	var scopes, expiresAt string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "issue --client CLIENT --name NAME",
		Short: "Issue a key; it is shown this once",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if request.Client == "" || strings.TrimSpace(request.Name) == "" {
				return usagef("--client and --name are needed: whose key is it, and whom is it for?")
			}
			var err error
			if request.Scopes, err = parseScopes(scopes); err != nil {
				return err
			}
			if request.ExpiresAt, err = parseExpiry(expiresAt); err != nil {
				return err
			}
			return s.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				issued, err := r.Issue(cmd.Context(), request)
				if err != nil {
					return err
				}
				return s.showIssued(issued, asJSON)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&request.Client, "client", "", "whose key it is: the client's id or slug")
	f.StringVar(&request.Name, "name", "", "whom or what it is for")
	f.StringVar(&scopes, "scopes", "", "comma-separated; unset: "+joinScopes(access.Default()))
	f.StringVar(&expiresAt, "expires-at", "", "when it expires, as 2027-01-31T00:00:00Z; unset: never")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newKeysRotate(s *surroundings) *cobra.Command {
	var grace time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "rotate KEY",
		Short: "Issue a key of the same name and scopes and revoke the old one",
		Args:  asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if grace < 0 {
				return usagef("--grace must not be negative")
			}
			return s.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				issued, err := r.Rotate(cmd.Context(), args[0], grace)
				if err != nil {
					return err
				}
				return s.showIssued(issued, asJSON)
			})
		},
	}
	cmd.Flags().DurationVar(&grace, "grace", 0, "how long the old key still works, as 24h")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newKeysRevoke(s *surroundings) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke KEY",
		Short: "End a key at once",
		Args:  asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				key, err := r.Revoke(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(s.stderr, "key %s (%s) is revoked since %s\n", key.Prefix, key.Name, key.RevokedAt.Format(time.RFC3339))
				return nil
			})
		},
	}
}

func newKeysList(s *surroundings) *cobra.Command {
	var client string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List keys, without their secrets, and what is left of their hour",
		Args:  asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				keys, err := r.List(cmd.Context(), client)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(s.stdout, keys)
				}
				return printKeys(s.stdout, keys)
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "only this client's, by id or slug")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// withKeys opens the registry of keys on a database whose schema is up to date.
func (s *surroundings) withKeys(ctx context.Context, do func(*apikey.Registry) error) error {
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
		return do(apikey.NewRegistry(conn))
	})
}

func (s *surroundings) showIssued(issued apikey.Issued, asJSON bool) error {
	if asJSON {
		return printJSON(s.stdout, issued)
	}
	fmt.Fprintf(s.stderr, "key %s for %q, scopes %s. It is shown this once:\n",
		issued.Prefix, issued.Name, strings.Join(issued.Scopes, ", "))
	_, err := fmt.Fprintln(s.stdout, issued.Key)
	return err
}

func printKeys(w io.Writer, keys []apikey.Listed) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PREFIX\tCLIENT\tNAME\tSTATE\tLAST USED\tLAST HOUR\tREMAINING\tSCOPES")
	for _, k := range keys {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n",
			k.Prefix, k.ClientID, k.Name, stateOf(k.Key, time.Now()), orNever(k.LastUsedAt), k.RequestsLastHour, k.Remaining, strings.Join(k.Scopes, ","))
	}
	return table.Flush()
}

func stateOf(k apikey.Key, now time.Time) string {
	switch {
	case k.RevokedAt != nil && !k.RevokedAt.After(now):
		return "revoked " + k.RevokedAt.Format(time.DateOnly)
	case k.ExpiresAt != nil && !k.ExpiresAt.After(now):
		return "expired " + k.ExpiresAt.Format(time.DateOnly)
	case k.RevokedAt != nil:
		return "until " + k.RevokedAt.Format(time.RFC3339)
	default:
		return "active"
	}
}

func orNever(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.Format(time.RFC3339)
}

func printJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

func parseScopes(text string) ([]access.Scope, error) {
	if text == "" {
		return nil, nil
	}
	var scopes []access.Scope
	for _, name := range strings.Split(text, ",") {
		scope := access.Scope(strings.TrimSpace(name))
		if !scope.Known() {
			return nil, usagef("--scopes: %q is no scope; choose from %s", scope, joinScopes(access.All()))
		}
		scopes = append(scopes, scope)
	}
	return scopes, nil
}

func parseExpiry(text string) (*time.Time, error) {
	if text == "" {
		return nil, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return nil, usagef("--expires-at: %q is no date-time such as 2027-01-31T00:00:00Z", text)
	}
	if !at.After(time.Now()) {
		return nil, usagef("--expires-at: %s has passed", text)
	}
	at = at.UTC().Truncate(time.Microsecond)
	return &at, nil
}

func joinScopes(scopes []access.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}

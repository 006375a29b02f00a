package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
)

func newKeys(e *environment) *cobra.Command {
	return group("keys", "Issue, rotate, revoke, list and audit API keys", "issue, rotate, revoke, list, audit or mend-window",
		newKeysIssue(e), newKeysRotate(e), newKeysRevoke(e), newKeysList(e), newKeysAudit(e), newKeysMendWindow(e))
}

func newKeysIssue(e *environment) *cobra.Command {
	var request apikey.Request
	var expiresAt, expiresIn string
	cmd := &cobra.Command{
		Use:   "issue --client CLIENT --name NAME",
		Short: "Issue a key; it is shown this once",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if request.Client == "" || strings.TrimSpace(request.Name) == "" {
				return usagef("--client and --name are needed: whose key is it, and whom is it for?")
			}
			var err error
			if request.Scopes, err = parseScopes(cmd); err != nil {
				return err
			}
			if request.ExpiresAt, err = parseExpiry(expiresAt, expiresIn, time.Now()); err != nil {
				return err
			}
			return e.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				issued, err := r.Issue(cmd.Context(), request)
				if err != nil {
					return err
				}
				return e.printIssued(issued)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&request.Client, "client", "", "whose key it is: the client's id or slug")
	f.StringVar(&request.Name, "name", "", "whom or what it is for")
	f.String("scopes", "", "comma-separated; unset: "+joinScopes(auth.Default()))
	f.StringVar(&expiresAt, "expires-at", "", "when it expires, as 2027-01-31T00:00:00Z; unset: never")
	f.StringVar(&expiresIn, "expires-in", "", "in how long it expires, as 90d or 12h")
	return e.jsonFlag(cmd)
}

func newKeysRotate(e *environment) *cobra.Command {
	var with apikey.Rotation
	cmd := &cobra.Command{
		Use:   "rotate KEY",
		Short: "Issue a key of the same name and revoke the old one",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if with.Grace < 0 {
				return usagef("--grace must not be negative")
			}
			var err error
			if with.Scopes, err = parseScopes(cmd); err != nil {
				return err
			}
			return e.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				issued, err := r.Rotate(cmd.Context(), args[0], with)
				if err != nil {
					return err
				}
				return e.printIssued(issued)
			})
		},
	}
	cmd.Flags().DurationVar(&with.Grace, "grace", 0, "how long the old key still works, as 24h")
	cmd.Flags().String("scopes", "", "the new key's, comma-separated; unset: the old key's")
	return e.jsonFlag(cmd)
}

func newKeysRevoke(e *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "revoke KEY",
		Short: "Revoke a key at once",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				key, err := r.Revoke(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(e.stderr, "key %s (%s) is revoked since %s\n", key.Prefix, key.Name, key.RevokedAt.Format(time.RFC3339))
				return nil
			})
		},
	}
}

func newKeysList(e *environment) *cobra.Command {
	var client string
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List keys, without their secrets, and what is left of their quota",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				keys, err := r.List(cmd.Context(), client)
				if err != nil {
					return err
				}
				return e.printKeys(keys)
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "only this client's, by id or slug")
	return e.jsonFlag(cmd)
}

func newKeysAudit(e *environment) *cobra.Command {
	var client string
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "List the changes of keys: when, what, by whom and from where",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				audits, err := r.Audits(cmd.Context(), client)
				if err != nil {
					return err
				}
				return printList(e, audits, "AT\tACTION\tKEY\tCLIENT\tLOGIN\tFROM\tACCOUNT\tDETAIL", func(a apikey.Audit) string {
					return strings.Join([]string{
						a.At.Format(time.RFC3339), a.Action, cmp.Or(a.Prefix, a.KeyID.String()), a.ClientID.String(),
						a.Login, cmp.Or(a.Address, "local"), a.Account, a.Detail,
					}, "\t")
				})
			})
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "only this client's, by id or slug")
	return e.jsonFlag(cmd)
}

func newKeysMendWindow(e *environment) *cobra.Command {
	return &cobra.Command{
		Use:   "mend-window KEY",
		Short: "Remove a key's log rows that are dated in the future",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.withKeys(cmd.Context(), func(r *apikey.Registry) error {
				key, removed, err := r.DeleteFutureRequests(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				fmt.Fprintf(e.stderr, "key %s (%s): %d log rows dated in the future removed\n", key.Prefix, key.Name, removed)
				return nil
			})
		},
	}
}

func (e *environment) withKeys(ctx context.Context, do func(*apikey.Registry) error) error {
	return e.withOwnerOfNew(ctx, func(conn *pgx.Conn) error { return do(apikey.NewRegistry(conn)) })
}

func (e *environment) printIssued(issued apikey.Issued) error {
	err := e.print(issued, func() error {
		fmt.Fprintf(e.stderr, "key %s for %q, scopes %s. It is shown this once:\n",
			issued.Prefix, issued.Name, strings.Join(issued.Scopes, ", "))
		_, err := fmt.Fprintln(e.stdout, issued.Key)
		return err
	})
	if err != nil {
		return fmt.Errorf("key %[1]s was issued and could not be shown: %[2]w: end it with 'clientintel keys revoke %[1]s', and issue another", issued.Prefix, err)
	}
	return nil
}

func (e *environment) printKeys(keys []apikey.Listed) error {
	for _, k := range keys {
		if k.FutureRequests > 0 && !e.json {
			fmt.Fprintf(e.stderr, "key %s has %d log rows dated in the future, up to %s: its rate-limit window does not advance until then, or until 'clientintel keys mend-window %s'\n",
				k.Prefix, k.FutureRequests, k.FutureUntil.Format(time.RFC3339), k.Prefix)
		}
	}
	return printList(e, keys, "PREFIX\tCLIENT\tNAME\tSTATE\tLAST USED\tLAST HOUR\tREMAINING\tSCOPES", func(k apikey.Listed) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s",
			k.Prefix, k.ClientID, k.Name, stateOf(k.Key, time.Now()), orNever(k.LastUsedAt), k.RequestsLastHour, k.Remaining, strings.Join(k.Scopes, ","))
	})
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

// parseScopes reads --scopes, nil where it is not given. An empty one, as of a shell
// variable that is not set, is a mistake: the default would be wider than meant.
func parseScopes(cmd *cobra.Command) ([]auth.Scope, error) {
	if !cmd.Flags().Changed("scopes") {
		return nil, nil
	}
	text, err := cmd.Flags().GetString("scopes")
	if err != nil {
		return nil, err
	}
	var scopes []auth.Scope
	for _, name := range strings.Split(text, ",") {
		scope := auth.Scope(strings.TrimSpace(name))
		if !scope.Known() {
			return nil, usagef("--scopes: %q is no scope; choose from %s", scope, joinScopes(auth.All()))
		}
		if !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes, nil
}

// parseExpiry takes a moment, or a span from now.
func parseExpiry(moment, span string, now time.Time) (*time.Time, error) {
	at := now
	switch {
	case moment != "" && span != "":
		return nil, usagef("name either --expires-at or --expires-in")
	case moment != "":
		var err error
		if at, err = time.Parse(time.RFC3339, moment); err != nil {
			return nil, usagef("--expires-at: %q is no date-time such as 2027-01-31T00:00:00Z", moment)
		}
		if !at.After(now) {
			return nil, usagef("--expires-at: %s has passed", moment)
		}
	case span != "":
		days, isDays := strings.CutSuffix(span, "d")
		n, err := strconv.Atoi(days)
		lasts := time.Duration(n) * 24 * time.Hour
		if !isDays {
			lasts, err = time.ParseDuration(span)
		}
		if err != nil || lasts <= 0 || n > 36500 {
			return nil, usagef("--expires-in: %q is no span such as 90d or 12h", span)
		}
		at = now.Add(lasts)
	default:
		return nil, nil
	}
	at = at.UTC().Truncate(time.Microsecond)
	if at.Year() > 9999 { // JSON has no later year: no list could show the key
		return nil, usagef("a key must expire before the year 10000 in UTC, not at %s", at.Format(time.RFC3339))
	}
	return &at, nil
}

func joinScopes(scopes []auth.Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ",")
}

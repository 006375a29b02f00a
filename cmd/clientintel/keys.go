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
	return group("keys", "Issue, rotate, revoke, list and audit API keys",
		newKeysIssue(e), newKeysRotate(e), newKeysRevoke(e), newKeysList(e), newKeysAudit(e), newKeysMendWindow(e))
}

// keysCommand makes a command that works on the keys of the database.
func (e *environment) keysCommand(use, short string, do func(context.Context, *apikey.Registry, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.withOwnerOfNew(cmd.Context(), func(conn *pgx.Conn) error {
				return do(cmd.Context(), apikey.NewRegistry(conn), args)
			})
		},
	}
}

func newKeysIssue(e *environment) *cobra.Command {
	var request apikey.Request
	var expiresAt, expiresIn string
	cmd := e.keysCommand("issue --client CLIENT --name NAME", "Issue a key; it is shown this once",
		func(ctx context.Context, r *apikey.Registry, _ []string) error {
			issued, err := r.Issue(ctx, request)
			return e.printIssued(issued, err)
		})
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		var err error
		if request.Scopes, err = parseScopes(cmd); err != nil {
			return err
		}
		request.ExpiresAt, err = parseExpiry(expiresAt, expiresIn, time.Now())
		return err
	}
	f := cmd.Flags()
	f.StringVar(&request.Client, "client", "", "whose key it is: the client's id or slug (required)")
	f.StringVar(&request.Name, "name", "", "whom or what it is for (required)")
	f.String("scopes", "", "comma-separated; unset: "+joinScopes(auth.Default()))
	f.StringVar(&expiresAt, "expires-at", "", "when it expires, as 2027-01-31T00:00:00Z; unset: never")
	f.StringVar(&expiresIn, "expires-in", "", "in how long it expires, as 90d or 12h")
	cmd.MarkFlagsMutuallyExclusive("expires-at", "expires-in")
	return e.jsonFlag(required(cmd, "client", "name"))
}

func newKeysRotate(e *environment) *cobra.Command {
	var with apikey.Rotation
	cmd := e.keysCommand("rotate KEY", "Issue a key of the same name and revoke the old one",
		func(ctx context.Context, r *apikey.Registry, args []string) error {
			issued, err := r.Rotate(ctx, args[0], with)
			return e.printIssued(issued, err)
		})
	cmd.Args = oneArgument("KEY")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if with.Grace < 0 {
			return usagef("--grace must not be negative")
		}
		var err error
		with.Scopes, err = parseScopes(cmd)
		return err
	}
	cmd.Flags().DurationVar(&with.Grace, "grace", 0, "how long the old key still works, as 24h")
	cmd.Flags().String("scopes", "", "the new key's, comma-separated; unset: the old key's")
	return e.jsonFlag(cmd)
}

func newKeysRevoke(e *environment) *cobra.Command {
	cmd := e.keysCommand("revoke KEY", "Revoke a key at once", func(ctx context.Context, r *apikey.Registry, args []string) error {
		key, err := r.Revoke(ctx, args[0])
		if err == nil {
			fmt.Fprintf(e.stderr, "key %s (%s) is revoked since %s\n", key.Prefix, key.Name, key.RevokedAt.Format(time.RFC3339))
		}
		return err
	})
	cmd.Args = oneArgument("KEY")
	return cmd
}

func newKeysList(e *environment) *cobra.Command {
	var client string
	cmd := e.keysCommand("list", "List keys, without their secrets, and what is left of their quota",
		func(ctx context.Context, r *apikey.Registry, _ []string) error {
			keys, err := r.List(ctx, client)
			if err != nil {
				return err
			}
			return e.printKeys(keys)
		})
	cmd.Flags().StringVar(&client, "client", "", "only this client's, by id or slug")
	return e.jsonFlag(cmd)
}

func newKeysAudit(e *environment) *cobra.Command {
	var client string
	cmd := e.keysCommand("audit", "List the changes of keys: when, what, by whom and from where",
		func(ctx context.Context, r *apikey.Registry, _ []string) error {
			audits, err := r.Audits(ctx, client)
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
	cmd.Flags().StringVar(&client, "client", "", "only this client's, by id or slug")
	return e.jsonFlag(cmd)
}

func newKeysMendWindow(e *environment) *cobra.Command {
	cmd := e.keysCommand("mend-window KEY", "Remove a key's log rows that are dated in the future",
		func(ctx context.Context, r *apikey.Registry, args []string) error {
			key, removed, err := r.DeleteFutureRequests(ctx, args[0])
			if err == nil {
				fmt.Fprintf(e.stderr, "key %s (%s): %d log rows dated in the future removed\n", key.Prefix, key.Name, removed)
			}
			return err
		})
	cmd.Args = oneArgument("KEY")
	return cmd
}

// printIssued shows a key that was issued, unless that failed.
func (e *environment) printIssued(issued apikey.Issued, err error) error {
	if err != nil {
		return err
	}
	err = e.print(issued, func() error {
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

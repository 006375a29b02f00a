package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/app"
	"github.com/clientintel/clientintel/internal/auth"
)

func newKeys(e *environment) *cobra.Command {
	return group("keys", "Issue, rotate, revoke, list and audit API keys",
		newKeysIssue(e), newKeysRotate(e), newKeysRevoke(e), newKeysList(e), newKeysUsage(e), newKeysAudit(e), newKeysMendWindow(e))
}

// keysCommand makes a command that works on the keys of the database.
func (e *environment) keysCommand(use, short string, as app.Command, do func(context.Context, *apikey.Registry, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.connected(cmd.Context(), as, func(conn *pgx.Conn) error {
				return do(cmd.Context(), apikey.NewRegistry(conn), args)
			})
		},
	}
}

// byFlags adds the flags of a change.
func byFlags(cmd *cobra.Command, by *apikey.By) {
	cmd.Flags().StringVar(&by.Actor, "actor", "", "who asked for it, for the audit trail; unset: the account and machine")
	cmd.Flags().StringVar(&by.Reason, "reason", "", "why, for the audit trail")
}

// namedKey is a key that an argument names, or a line of standard input where that is "-".
func (e *environment) namedKey(client string, args []string) (apikey.Named, error) {
	named := apikey.Named{Client: client, Key: args[0]}
	if args[0] == "-" {
		line, err := bufio.NewReader(e.stdin).ReadString('\n')
		if named.Key = strings.TrimSpace(line); named.Key == "" {
			return named, usagef("standard input has no key in its first line: %w", cmp.Or(err, io.EOF))
		}
	}
	return named, nil
}

// keyUnless takes a KEY, and none where all are meant.
func keyUnless(all *bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if *all {
			return noArguments(cmd, args)
		}
		return oneArgument("KEY")(cmd, args)
	}
}

func (e *environment) findKey(ctx context.Context, r *apikey.Registry, client string, args []string) (apikey.Key, error) {
	named, err := e.namedKey(client, args)
	if err != nil {
		return apikey.Key{}, err
	}
	return r.Find(ctx, named)
}

func newKeysIssue(e *environment) *cobra.Command {
	var request apikey.Request
	var by apikey.By
	var expiresAt, expiresIn string
	cmd := e.keysCommand("issue --client CLIENT --name NAME", "Issue a key; it is shown this once", asKeys,
		func(ctx context.Context, r *apikey.Registry, _ []string) error {
			issued, err := r.Issue(ctx, request, by)
			if err != nil {
				return err
			}
			if err := e.showIssued(issued); err != nil {
				return r.TakeBack(ctx, issued, by, fmt.Errorf("key %s is revoked, as it could not be shown: %w", issued.Prefix, err))
			}
			return nil
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
	byFlags(cmd, &by)
	cmd.MarkFlagsMutuallyExclusive("expires-at", "expires-in")
	return e.jsonFlag(required(cmd, "client", "name"))
}

const onlyThisClient = "refuse a key of another client than this one, by id or slug"

func newKeysRotate(e *environment) *cobra.Command {
	var with apikey.Rotation
	var by apikey.By
	var client string
	cmd := e.keysCommand("rotate KEY|-", "Issue a key of the same name and revoke the old one", asKeys,
		func(ctx context.Context, r *apikey.Registry, args []string) error {
			named, err := e.namedKey(client, args)
			if err != nil {
				return err
			}
			_, err = r.Rotate(ctx, named, with, by, e.showIssued)
			return err
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
	cmd.Flags().StringVar(&client, "client", "", onlyThisClient)
	byFlags(cmd, &by)
	return e.jsonFlag(cmd)
}

func newKeysRevoke(e *environment) *cobra.Command {
	var client string
	var all bool
	var by apikey.By
	cmd := e.keysCommand("revoke (KEY|- | --client CLIENT --all)", "Revoke a key, or all of a client's, at once", asKeys,
		func(ctx context.Context, r *apikey.Registry, args []string) error {
			if all {
				keys, err := r.RevokeAll(ctx, client, by)
				for _, k := range keys {
					e.tellRevoked(k.Prefix, k.Name, k.RevokedAt)
				}
				if err == nil {
					fmt.Fprintf(e.stderr, "%d keys of %s were in force, and none is now\n", len(keys), client)
				}
				return err
			}
			named, err := e.namedKey(client, args)
			if err != nil {
				return err
			}
			key, err := r.Revoke(ctx, named, by)
			if err == nil {
				e.tellRevoked(key.Prefix, key.Name, key.RevokedAt)
			}
			return err
		})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if all && client == "" {
			return errors.New("--all needs --client: whose keys?")
		}
		return keyUnless(&all)(cmd, args)
	}
	cmd.Flags().StringVar(&client, "client", "", onlyThisClient)
	cmd.Flags().BoolVar(&all, "all", false, "revoke every key of the client")
	byFlags(cmd, &by)
	return cmd
}

func (e *environment) tellRevoked(prefix, name string, at *time.Time) {
	fmt.Fprintf(e.stderr, "key %s (%s) is revoked since %s\n", prefix, printable(name), at.Format(time.RFC3339))
}

func newKeysList(e *environment) *cobra.Command {
	var client, expiring string
	var within *time.Duration
	cmd := e.keysCommand("list", "List keys, without their secrets, and what is left of their quota", asAuditor,
		func(ctx context.Context, r *apikey.Registry, _ []string) error {
			keys, err := r.List(ctx, client, within)
			if err != nil {
				return err
			}
			return e.printKeys(keys)
		})
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if expiring == "" {
			return nil
		}
		span, err := parseSpan(expiring)
		if err != nil {
			return usagef("--expiring: %w", err)
		}
		within = &span
		return nil
	}
	cmd.Flags().StringVar(&client, "client", "", "only this client's, by id or slug")
	cmd.Flags().StringVar(&expiring, "expiring", "", "only those in force that expire within this time, as 14d")
	return e.jsonFlag(cmd)
}

func newKeysUsage(e *environment) *cobra.Command {
	var client, since, unit string
	var span time.Duration
	cmd := e.keysCommand("usage (KEY|- | --client CLIENT)", "Add up the requests of a key, or of a client's keys, by route and status", asAuditor,
		func(ctx context.Context, r *apikey.Registry, args []string) error {
			of, ids, err := e.usedKeys(ctx, r, client, args)
			if err != nil {
				return err
			}
			now := time.Now().UTC()
			from := now.Add(-span).Truncate(map[string]time.Duration{"hour": time.Hour, "day": 24 * time.Hour}[unit])
			uses, err := r.Usage(ctx, of, ids, unit, from, now)
			if err != nil {
				return err
			}
			return printList(e, uses, "FROM\tKEY\tROUTE\tSTATUS\tREQUESTS", func(u apikey.Use) string {
				return fmt.Sprintf("%s\t%s\t%s\t%d\t%d", u.Begins.Format(time.RFC3339), u.KeyID, u.Route, u.Status, u.Requests)
			})
		})
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 && client == "" {
			return errors.New("name a KEY, or a client with --client")
		}
		return noArguments(cmd, args[min(1, len(args)):])
	}
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if unit != "hour" && unit != "day" {
			return usagef("--by is hour or day")
		}
		var err error
		if span, err = parseSpan(since); err != nil {
			return usagef("--since: %w", err)
		}
		return nil
	}
	cmd.Flags().StringVar(&client, "client", "", "all keys of this client, by id or slug; with KEY: "+onlyThisClient)
	cmd.Flags().StringVar(&since, "since", "30d", "how far back, as 30d or 12h; at most 400d are kept")
	cmd.Flags().StringVar(&unit, "by", "day", "hour or day, in UTC")
	return e.jsonFlag(cmd)
}

// usedKeys are the key that an argument names, or those of a client, and whose they are.
func (e *environment) usedKeys(ctx context.Context, r *apikey.Registry, client string, args []string) (of uuid.UUID, ids []uuid.UUID, err error) {
	if len(args) > 0 {
		key, err := e.findKey(ctx, r, client, args)
		return key.ClientID, []uuid.UUID{key.ID}, err
	}
	listed, err := r.List(ctx, client, nil)
	for _, k := range listed {
		of, ids = k.ClientID, append(ids, k.ID)
	}
	return of, ids, err
}

func newKeysAudit(e *environment) *cobra.Command {
	var client string
	cmd := e.keysCommand("audit", "List the changes of keys: when, what, by whom, why and from where", asAuditor,
		func(ctx context.Context, r *apikey.Registry, _ []string) error {
			audits, err := r.Audits(ctx, client)
			if err != nil {
				return err
			}
			return printList(e, audits, "AT\tACTION\tKEY\tCLIENT\tACTOR\tCALLER\tLOGIN\tFROM\tACCOUNT\tDETAIL\tREASON", func(a apikey.Audit) string {
				return strings.Join([]string{
					a.At.Format(time.RFC3339), a.Action, cmp.Or(a.Prefix, a.KeyID.String()), a.ClientID.String(), a.Actor, a.CallerAddress,
					a.Login, cmp.Or(a.Address, "local"), a.Account, a.Detail, a.Reason,
				}, "\t")
			})
		})
	cmd.Flags().StringVar(&client, "client", "", "only this client's, by id or slug")
	return e.jsonFlag(cmd)
}

func newKeysMendWindow(e *environment) *cobra.Command {
	var client string
	var all bool
	var by apikey.By
	cmd := e.keysCommand("mend-window (KEY|- | --all)", "Remove log rows that are dated in the future, of a key or of all", asKeys,
		func(ctx context.Context, r *apikey.Registry, args []string) error {
			var keys []apikey.Key
			if all {
				listed, err := r.List(ctx, client, nil)
				if err != nil {
					return err
				}
				for _, k := range listed {
					if k.FutureRequests > 0 {
						keys = append(keys, k.Key)
					}
				}
			} else {
				key, err := e.findKey(ctx, r, client, args)
				if err != nil {
					return err
				}
				keys = append(keys, key)
			}
			for _, key := range keys {
				removed, err := r.DeleteFutureRequests(ctx, key, by)
				if err != nil {
					return err
				}
				fmt.Fprintf(e.stderr, "key %s (%s): %d log rows dated in the future removed\n", key.Prefix, printable(key.Name), removed)
			}
			return nil
		})
	cmd.Args = keyUnless(&all)
	cmd.Flags().StringVar(&client, "client", "", onlyThisClient)
	cmd.Flags().BoolVar(&all, "all", false, "of every key that has such rows")
	byFlags(cmd, &by)
	return cmd
}

// showIssued prints a key that was issued.
func (e *environment) showIssued(issued apikey.Issued) error {
	return e.print(issued, func() error {
		fmt.Fprintf(e.stderr, "key %s for %q, scopes %s. It is shown this once:\n",
			issued.Prefix, issued.Name, strings.Join(issued.Scopes, ", "))
		_, err := fmt.Fprintln(e.stdout, issued.Key)
		return err
	})
}

func (e *environment) printKeys(keys []apikey.Listed) error {
	for _, k := range keys {
		if k.FutureRequests > 0 && !e.json {
			fmt.Fprintf(e.stderr, "key %s has %d log rows dated in the future, up to %s: its rate-limit window does not advance until then, or until 'clientintel keys mend-window %s' (or --all)\n",
				k.Prefix, k.FutureRequests, k.FutureUntil.Format(time.RFC3339), k.Prefix)
		}
	}
	return printList(e, keys, "PREFIX\tCLIENT\tNAME\tSTATE\tEXPIRES\tLAST USED\tLAST HOUR\tREMAINING\tSCOPES\tID", func(k apikey.Listed) string {
		state := string(k.State)
		if k.RevokedAt != nil {
			state += " " + k.RevokedAt.Format(time.RFC3339)
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\t%s", k.Prefix, k.ClientID, k.Name, state,
			orNever(k.ExpiresAt), orNever(k.LastUsedAt), k.RequestsLastHour, k.Remaining, strings.Join(k.Scopes, ","), k.ID)
	})
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
	var scopes []auth.Scope
	for name := range strings.SplitSeq(cmd.Flags().Lookup("scopes").Value.String(), ",") {
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
		lasts, err := parseSpan(span)
		if err != nil {
			return nil, usagef("--expires-in: %w", err)
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

// parseSpan reads a time such as 90d or 12h.
func parseSpan(text string) (time.Duration, error) {
	days, isDays := strings.CutSuffix(text, "d")
	n, err := strconv.Atoi(days)
	span := time.Duration(n) * 24 * time.Hour
	if !isDays {
		span, err = time.ParseDuration(text)
	}
	if err != nil || span <= 0 || isDays && n > 36500 {
		return 0, fmt.Errorf("%q is no span such as 90d or 12h", text)
	}
	return span, nil
}

func joinScopes(scopes []auth.Scope) string { return strings.Join(auth.Names(scopes), ",") }

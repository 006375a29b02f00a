package middleware

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/go-chi/chi/v5"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/auth"
)

// checkRequest checks the scope, then the parameters. A mistyped filter must
// not widen a response, so no parameter is ignored.
func checkRequest(r *http.Request, op *Operation, options *openapi3filter.Options) error {
	caller := auth.CallerFrom(r.Context())
	if err := op.CheckScopes(caller); err != nil {
		return err
	}
	query, malformed := parseQuery(r.URL.RawQuery)
	if op.ID == "listInterviews" && query.Has("updated_since") {
		return apierror.UpdatedSinceUnsupported
	}
	input := &openapi3filter.RequestValidationInput{
		Request: r, QueryParams: query, Route: op.route, Options: options,
	}
	// These parameters decide about a scope: they are checked first, then it, then the rest.
	for _, name := range scopeParameters {
		if op.QueryParams[name] != nil && query.Has(name) {
			if err := validateParameter(op, name, input, malformed); err != nil {
				return err
			}
		}
	}
	feed := op.ID == "listSynthesis" && query.Get("surface") == "portal" && query.Get("type") == "daily_feed"
	if feed && !caller.Has(auth.ReadCustomerIdentity) {
		return apierror.MissingScope(string(auth.ReadCustomerIdentity))
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if err := validateParameter(op, name, input, malformed); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(op.QueryParams)) {
		if op.QueryParams[name].Required && !query.Has(name) {
			return apierror.Parameter(name, fmt.Sprintf("%s is required: %s", name, accepted(op.QueryParams[name])))
		}
	}
	for _, p := range op.pathParams {
		value, err := chi.URLParam(r, p.Name), error(nil)
		if r.URL.RawPath != "" { // chi then routes by it
			value, err = url.PathUnescape(value)
		}
		input.PathParams = map[string]string{p.Name: value}
		if err != nil || openapi3filter.ValidateParameter(r.Context(), input, p) != nil {
			return apierror.NotFound
		}
	}
	if err := checkHeaders(op, input); err != nil {
		return err
	}
	if op.route.Operation.RequestBody != nil {
		if err := checkBody(op, input); err != nil {
			return err
		}
	}
	if strings.Contains(r.URL.RawQuery, ";") {
		r.URL.RawQuery = query.Encode() // the generated code would leave the parameter out
	}
	return nil
}

// parseQuery decodes a query string. A value with a malformed escape is kept as sent, and
// its parameter is listed in malformed. A semicolon is an ordinary character (net/url
// rejects it).
func parseQuery(raw string) (query url.Values, malformed []string) {
	query = url.Values{}
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		decodedName, nameErr := url.QueryUnescape(name)
		if nameErr == nil {
			name = decodedName
		}
		decoded, err := url.QueryUnescape(value)
		if nameErr != nil || err != nil {
			malformed, decoded = append(malformed, name), value
		}
		query.Add(name, decoded)
	}
	return query, malformed
}

// scopeParameters decide which scope a request needs beyond its operation's.
var scopeParameters = []string{"surface", "type"}

var plainInteger = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`)

// validateParameter validates one name of the query and its values.
func validateParameter(op *Operation, name string, input *openapi3filter.RequestValidationInput, malformed []string) error {
	ctx, param, values := input.Request.Context(), op.QueryParams[name], input.QueryParams[name]
	isMalformed := slices.Contains(malformed, name)
	switch {
	case param == nil && isMalformed:
		return apierror.InvalidParameter("the query string is malformed: expected name=value pairs joined with &, percent-encoded")
	case param == nil:
		return apierror.UnknownParameter(fmt.Sprintf("%s is not a parameter of this route; it takes %s", apierror.Quote(name), op.parameterList()))
	case len(values) > 1:
		return apierror.Parameter(name, name+" is given more than once; give it once")
	case isMalformed:
		return apierror.Parameter(name, name+" has a % that two hexadecimal digits do not follow; write it as %25")
	case values[0] == "":
		return apierror.Parameter(name, name+" is empty; give a value or leave it out")
	case !utf8.ValidString(values[0]):
		return apierror.Parameter(name, name+" is not valid UTF-8")
	case strings.ContainsRune(values[0], 0):
		return apierror.Parameter(name, name+" contains a NUL character, which no value does")
	case param.Schema.Value.Type.Is("integer") && !plainInteger.MatchString(values[0]),
		openapi3filter.ValidateParameter(ctx, input, param) != nil:
		return apierror.Parameter(name, fmt.Sprintf("%s must be %s, not %s", name, accepted(param), apierror.Quote(values[0])))
	}
	return nil
}

// accepted describes in words what the contract accepts.
func accepted(p *openapi3.Parameter) string {
	s := p.Schema.Value
	switch {
	case s.Type.Is("integer") && s.Min != nil && s.Max != nil:
		return fmt.Sprintf("a whole number from %d to %d, in plain digits", int(*s.Min), int(*s.Max))
	case len(s.Enum) > 0:
		names := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			names[i] = fmt.Sprint(v)
		}
		return "one of " + strings.Join(names, ", ")
	case s.MaxLength != nil:
		return fmt.Sprintf("a text of 1 to %d characters", *s.MaxLength)
	default:
		return "a text"
	}
}

func (o *Operation) parameterList() string {
	names := slices.Sorted(maps.Keys(o.QueryParams))
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

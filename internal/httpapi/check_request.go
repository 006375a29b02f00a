package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"

	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/fault"
)

// checkRequest holds a request against its operation: scope, then parameters.
// A mistyped filter must not widen an answer, so nothing is ignored.
func (s *Server) checkRequest(
	r *http.Request, op *operation, route *routers.Route, pathParams map[string]string,
) error {
	caller := access.CallerFrom(r.Context())
	if scope, lacking := op.missingScope(caller); lacking {
		return fault.MissingScope(string(scope))
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fault.InvalidParameter("the query string is malformed: expected name=value pairs joined with &, percent-encoded")
	}
	input := &openapi3filter.RequestValidationInput{
		Request: r, PathParams: pathParams, QueryParams: query, Route: route, Options: s.validation,
	}
	// A scope that depends on parameters comes between these and the rest.
	for _, name := range scopeParameters {
		if op.params[name] != nil && query.Has(name) {
			if err := checkParameter(r, op, name, query[name], input); err != nil {
				return err
			}
		}
	}
	if scope, lacking := dependentScope(op, query, caller); lacking {
		return fault.MissingScope(string(scope))
	}
	for _, name := range sortedNames(query) {
		if err := checkParameter(r, op, name, query[name], input); err != nil {
			return err
		}
	}
	return checkRest(r, op, input)
}

// scopeParameters decide which scope a request needs beyond its operation's.
var scopeParameters = []string{"surface", "type"}

// dependentScope is the scope that the parameters call for and the caller lacks.
func dependentScope(op *operation, query url.Values, c access.Caller) (access.Scope, bool) {
	feed := op.id == "listSynthesis" && query.Get("surface") == "portal" && query.Get("type") == "daily_feed"
	if feed && !c.Has(access.ReadCustomerIdentity) {
		return access.ReadCustomerIdentity, true
	}
	return "", false
}

var plainInteger = regexp.MustCompile(`^(0|[1-9][0-9]{0,8})$`)

// checkParameter checks one name of the query and its values.
func checkParameter(
	r *http.Request, op *operation, name string, values []string, input *openapi3filter.RequestValidationInput,
) error {
	param := op.params[name]
	switch {
	case param == nil && name == "updated_since" && op.id == "listInterviews":
		return fault.UpdatedSinceUnsupported()
	case param == nil:
		return fault.UnknownParameter(fmt.Sprintf("%s is not a parameter of this route; it takes %s", quote(name), op.parameterList()))
	case unfitFrom(r.Context())[name] != "":
		return parameterFault(name, fmt.Sprintf("%s must be %s, not %s", name, accepted(param), unfitFrom(r.Context())[name]))
	case len(values) > 1:
		return parameterFault(name, name+" is given more than once; give it once")
	case values[0] == "":
		return parameterFault(name, name+" is empty; give a value or leave it out")
	case !utf8.ValidString(values[0]):
		return parameterFault(name, name+" is not valid UTF-8")
	case strings.ContainsRune(values[0], 0):
		return parameterFault(name, name+" contains a NUL character, which no value does")
	case param.Schema.Value.Type.Is("integer") && !plainInteger.MatchString(values[0]):
		return parameterFault(name, fmt.Sprintf("%s must be %s, not %s", name, accepted(param), quote(values[0])))
	}
	if err := openapi3filter.ValidateParameter(r.Context(), input, param); err != nil {
		return parameterFault(name, fmt.Sprintf("%s must be %s, not %s", name, accepted(param), quote(values[0])))
	}
	return nil
}

// checkRest finds what single parameters cannot show: a required one that is
// missing, and a path that names no resource.
func checkRest(r *http.Request, op *operation, input *openapi3filter.RequestValidationInput) error {
	for _, name := range sortedNames(op.params) {
		if op.params[name].Required && !input.QueryParams.Has(name) {
			return parameterFault(name, fmt.Sprintf("%s is required: %s", name, accepted(op.params[name])))
		}
	}
	if len(input.PathParams) == 0 {
		return nil // each parameter has been held against the contract
	}
	err := openapi3filter.ValidateRequest(r.Context(), input)
	var refused *openapi3filter.RequestError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused) && refused.Parameter != nil && refused.Parameter.In == openapi3.ParameterInPath:
		return fault.Missing()
	default:
		return fault.Unexpected(fmt.Errorf("%s: a request passed its parameters' checks and failed as a whole", op.id))
	}
}

// parameterFault gives a fault the parameter's own code, whoever finds it.
func parameterFault(name, details string) error {
	switch name {
	case "starting_after":
		return fault.InvalidCursor()
	case "updated_since":
		return fault.InvalidUpdatedSince(details)
	default:
		return fault.InvalidParameter(details)
	}
}

// accepted says in words what the contract accepts.
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

func (o *operation) parameterList() string {
	names := sortedNames(o.params)
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// quote shows a caller's own text back, cut short. A byte that is no text counts
// as a character.
func quote(text string) string {
	const longest = 60
	count := 0
	for at := range text {
		if count++; count > longest {
			text = text[:at] + "…"
			break
		}
	}
	return strconv.Quote(text)
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

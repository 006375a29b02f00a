package middleware

import (
	"net/http"
	"strings"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/apikey"
)

// BearerToken is the token of the Authorization header, empty where there is none.
func BearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.Trim(token, " ")
}

// parseKey reads the API key of the only Authorization header. The limiter decides whether
// it was issued and is active, in the query that counts the request.
func parseKey(r *http.Request) (apikey.Token, error) {
	token := BearerToken(r)
	if token == "" {
		return apikey.Token{}, apierror.MissingAPIKey
	}
	key, ok := apikey.ParseToken(token)
	if !ok || len(r.Header.Values("Authorization")) > 1 { // a proxy in front could have checked the other one
		return apikey.Token{}, apierror.InvalidAPIKey
	}
	return key, nil
}

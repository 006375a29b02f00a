package httpapi

import (
	"net/http"
	"strings"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/apikey"
)

// parseKey reads the API key that a request carries. Whether it was issued, and
// is active, is decided by the limiter in the statement that counts the request.
func parseKey(r *http.Request) (apikey.Token, error) {
	token, err := bearerToken(r)
	if err != nil {
		return apikey.Token{}, err
	}
	key, ok := apikey.ParseToken(token)
	if !ok {
		return apikey.Token{}, apierror.InvalidAPIKey
	}
	return key, nil
}

// bearerToken reads the token of the one Authorization header.
func bearerToken(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return "", apierror.MissingAPIKey
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	token = strings.Trim(token, " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return "", apierror.MissingAPIKey
	}
	if len(headers) > 1 {
		// A proxy in front could have checked the other one.
		return "", apierror.InvalidAPIKey
	}
	return token, nil
}

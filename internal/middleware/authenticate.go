package middleware

import (
	"net/http"
	"strings"
)

// BearerToken is the token of the Authorization header, empty where there is none.
func BearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.Trim(token, " ")
}

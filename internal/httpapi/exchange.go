package httpapi

import (
	"context"
	"net/http"

	"github.com/clientintel/clientintel/internal/ratelimit"
)

// exchange is what is known of a request while it is answered; its line in the
// log is written from it.
type exchange struct {
	requestID string
	operation string
	admission ratelimit.Admission
	rows      int
	err       error
	// broken says that the connection was broken in mid-answer.
	broken bool
	// replied is the status inside an agent's answer, whose own is 200.
	replied int
}

type exchangeKey struct{}

func withExchange(r *http.Request, e *exchange) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), exchangeKey{}, e))
}

// named gives a handler outside the contract its name in the log.
func named(operation string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		exchangeFrom(r.Context()).operation = operation
		next.ServeHTTP(w, r)
	})
}

// exchangeFrom takes the request's exchange. Outside a request it is a blank
// one, so that nobody needs to ask.
func exchangeFrom(ctx context.Context) *exchange {
	if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return e
	}
	return &exchange{}
}

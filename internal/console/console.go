package console

import (
	"bytes"
	"context"
	"html"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/admin"
	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/config"
	"github.com/clientintel/clientintel/internal/documents"
	"github.com/clientintel/clientintel/internal/middleware"
	"github.com/clientintel/clientintel/internal/page"
	"github.com/clientintel/clientintel/internal/postgres"
	"github.com/clientintel/clientintel/internal/web"
	"github.com/clientintel/clientintel/openapi"
)

const prefix = "/api/admin/v1"

// Deps are what the console needs.
type Deps struct {
	// Pool has the role keys.
	Pool   *postgres.Pool
	Tokens *Tokens
	Log    *slog.Logger
	Now    func() time.Time
	// APIURL is the client API's address, for the page's curl line.
	APIURL string
	// FrameAncestors are the origins whose pages may frame the page, separated by blanks;
	// empty: none.
	FrameAncestors string
}

// New makes the console's handler.
func New(ctx context.Context, d Deps) (http.Handler, error) {
	document, err := openapi.AdminValidationDocument()
	if err != nil {
		return nil, err
	}
	keys := apikey.NewRegistry(d.Pool)
	secret, err := keys.CursorSecret(ctx)
	if err != nil {
		return nil, err
	}
	compress, err := middleware.Compress()
	if err != nil {
		return nil, err
	}
	contract := middleware.NewContract(document)
	h := &handlers{keys: keys, cursors: page.NewCodec(secret), now: d.Now}
	r := chi.NewRouter()
	r.Use(
		middleware.Log(middleware.Observers{
			RecordRequest: func(string, int, string, time.Duration) {}, RecordUse: func(uuid.UUID, string, int) {}, Log: d.Log,
		}),
		middleware.Headers(middleware.AdminLinks(prefix)),
		func(next http.Handler) http.Handler { return compress(next) },
	)
	d.addPages(r)
	r.Group(func(r chi.Router) {
		r.Use(contract.Name, signIn(d.Tokens), contract.Check, middleware.NewResponseValidator(config.Enforce, d.Log).Validate)
		strict := admin.NewStrictHandlerWithOptions(h, nil, admin.StrictHTTPServerOptions{
			RequestErrorHandlerFunc: middleware.WriteError, ResponseErrorHandlerFunc: middleware.WriteError,
		})
		admin.HandlerWithOptions(strict, admin.ChiServerOptions{BaseRouter: r, ErrorHandlerFunc: middleware.WriteError})
	})
	r.Get("/readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := d.Pool.Ping(r.Context()); err != nil {
			middleware.WriteError(w, r, apierror.Unavailable(err))
			return
		}
		_, _ = w.Write([]byte("ok\n"))
	})
	r.NotFound(func(w http.ResponseWriter, r *http.Request) { middleware.WriteError(w, r, apierror.NotFound) })
	r.MethodNotAllowed(func(w http.ResponseWriter, req *http.Request) { middleware.RefuseMethod(w, req, r) })
	return r, nil
}

// signIn lets only requests with a token of the portal through.
func signIn(tokens *Tokens) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			caller, err := tokens.Verify(r)
			if err != nil {
				middleware.WriteError(w, r, err)
				return
			}
			s := session{Caller: caller}
			if from, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
				s.address = from.Addr().Unmap()
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), sessionKey{}, s)))
		})
	}
}

// addPages adds the contract, the developer page and its files, which hold no data.
func (d Deps) addPages(r chi.Router) {
	policy := web.Policy
	if d.FrameAncestors != "" {
		policy = strings.Replace(policy, "frame-ancestors 'none'", "frame-ancestors "+d.FrameAncestors, 1)
	}
	header := map[string]string{"Content-Security-Policy": policy, "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache"}
	for _, f := range append(web.Console(), web.File{Path: prefix + "/openapi.json", ContentType: "application/json", Body: openapi.AdminJSON()}) {
		if f.Path == "/" {
			f.Body = bytes.Replace(f.Body, []byte("{{api}}"), []byte(html.EscapeString(d.APIURL)), 1)
		}
		documents.Serve(r, "page", f, header)
	}
}

// Package middleware is what every request passes before an operation's handler and every
// response after it, one middleware a file: the request id and the access log, headers,
// compression, authentication and admission, a client's share of the server, and the
// contract, which checks scope, parameters and responses. It writes every error.
package middleware

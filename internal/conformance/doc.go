// Package conformance tests a deployment of this API over HTTP against what the
// contract promises. It needs API keys only, sends one request at a time, keeps
// to a maximum number of requests and writes nothing.
package conformance

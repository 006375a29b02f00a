// Package ratelimit lets requests in: it authenticates a key and counts the
// request against its rolling hour, exactly, in one database round trip that
// requests arriving together share. The log of requests is the window.
package ratelimit

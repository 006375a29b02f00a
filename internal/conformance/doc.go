// Package conformance asks a deployment of this API, from outside and with keys
// alone, whether it keeps what the contract promises. It sends requests one
// after another, never more than it may, and never a write.
package conformance

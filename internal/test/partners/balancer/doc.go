// Package balancer runs HAProxy with deploy/haproxy.cfg in front of two servers that the
// tests stand in for: which requests reach them, what it answers by itself, and what it
// refuses. HAProxy is a program of its own, so the tests have the build tag partners;
// make partners runs them. make overload floods servers through it.
package balancer

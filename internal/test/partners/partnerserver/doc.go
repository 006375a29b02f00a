// Package partnerserver starts a live server for tests with third-party tools: the demo's
// clients, a quota chosen by the test, and a Python with pinned packages. The tests
// that use it have the build tag partners.
package partnerserver

// Package partnerserver is where tools of others meet the service: a live server with
// the demo's two brands, a quota as large as a test wants it, and a Python with
// pinned packages. The tests that use it stand behind the build tag partners.
package partnerserver

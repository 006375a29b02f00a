// Package connectors runs what openapi/connectors offers, in the tools it is
// made for, against a live server: dlt into DuckDB, Airbyte's own runner of
// manifests, and Bruno's. What they load must be what the database holds, also
// after changes, and also when the quota is used up on the way. The tools come
// from PyPI and npm, so the tests stand behind the build tag partners; make
// partners runs them.
package connectors

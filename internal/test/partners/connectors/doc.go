// Package connectors runs what openapi/connectors offers, in the tools it is
// made for, against a live server: dlt into DuckDB, Airbyte's own runner of
// manifests, and Bruno's. What they load must be what the database holds, also
// after changes, and also when the quota is used up on the way. The tools come
// from PyPI and npm, so the tests have the build tag partners; make
// partners runs them.
//
// Power Query's engine is in Microsoft's products only. Its scripts are parsed by
// Microsoft's parser and evaluated by powerquery/, which is our own reading of
// what its documentation says: it shows that the scripts do what they are meant
// to, not that Power BI accepts them.
package connectors

// Package contract has the types and requests of the API. It is generated from
// openapi/openapi.yaml; only this file is written by hand. Fields that may be
// null or left out are three-state: IsSpecified tells left out from null.
package contract

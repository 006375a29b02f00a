// Package contract converts the contract from YAML to the JSON that is served, and
// to the JSON Schemas of its operations.
package contract

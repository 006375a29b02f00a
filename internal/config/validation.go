package config

// ResponseValidation says how responses are held against the contract.
type ResponseValidation string

// Enforce turns a response that breaks the contract into a 500, Sample checks
// some beside the answers and reports them, Off checks none.
const (
	Enforce ResponseValidation = "enforce"
	Sample  ResponseValidation = "sample"
	Off     ResponseValidation = "off"
)

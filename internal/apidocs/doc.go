// Package apidocs holds the pages at /docs: every operation of the contract with samples
// and a form to try it, objects, errors, the guides, and a search over all of them; and
// /llms.txt. They are rendered from the contract and the guides when code is generated
// (internal/tools/generate); here they get the service's address. Package documents
// serves them. The search's library is embedded as npm has it: package-lock.json has the
// hash of its archive, package.json that of the file.
package apidocs

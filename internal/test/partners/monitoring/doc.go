// Package monitoring checks the alert rules with Prometheus's own tool, and validates
// the manifests against the schemas that Kubernetes publishes.
package monitoring

// Package monitoring holds the alert rules against Prometheus's own tool, and the
// manifests against the schemas that Kubernetes publishes.
package monitoring

// Package packages makes the packages of the published clients, which the server offers
// and a release contains: a wheel, an npm package and a Go module.
package packages

// Package web holds the pages that a browser makes from JSON: the explorer at /explore,
// and in assets what all such pages share, the console's too: styles, elements, requests,
// and charts by Chart.js. The library is embedded as npm has it; package-lock.json has the
// hash of its archive, and the pages name that of the file. There is no build step.
package web

// Command bench measures the product against what it could be: PostgreSQL alone
// running the same statements, a baseline server written by hand, and itself with
// a part left out. It loads a generated corpus through the product's own
// importer into a PostgreSQL of its own, starts the real server as a process,
// and prints one table of ratios. The two workloads of a ratio take turns within
// one call, in an order that alternates; medians of the rounds count. Its exit status
// depends on whether every response was right, never on a timing.
//
//	go run ./internal/tools/bench -scale full -data /var/tmp/bench
//
// See docs/benchmark.md.
package main

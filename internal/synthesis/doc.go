// Package synthesis reads what was published of a client's synthesis: rows of
// the collection, and the frozen bodies of the portal together with what can be
// said of the interviews behind them. What is visible is decided in the database.
package synthesis

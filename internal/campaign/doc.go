// Package campaign reads a client's campaigns, which the contract also calls
// conversation goals: all of them, live or not, one page at a time. Which
// interviews a campaign makes usable is the business of the database's gate.
package campaign

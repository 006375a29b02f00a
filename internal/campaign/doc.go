// Package campaign reads a client's campaigns, which the contract also calls
// conversation goals: all of them, live or not, one page at a time. The database
// decides which interviews a campaign makes usable.
package campaign

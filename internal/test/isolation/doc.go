// Package isolation holds, as tests only, that a client's answers do not depend
// on any other client: not on what it has, nor on anything of it that a caller
// could try. It asks the same of two installations, one in which the other client is
// there and one in which it is not, and compares answers, statuses and what they
// cost the database. What is asked comes from the contract and from tools/list,
// so that a new parameter or tool cannot be overlooked.
package isolation

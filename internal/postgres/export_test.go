package postgres

// Waiting is how many wait for a connection.
func (p *Pool) Waiting() int {
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	return p.line.waiting
}

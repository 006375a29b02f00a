package postgres

// Waiting is how many wait for a connection.
func (p *Pool) Waiting() int {
	p.queue.mu.Lock()
	defer p.queue.mu.Unlock()
	return p.queue.waiting
}

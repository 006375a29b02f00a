package corpus

import "math/bits"

// rng is SplitMix64. Ours rather than the library's, because a corpus must not
// change under the reader's feet with a new Go release.
type rng struct{ state uint64 }

const golden = 0x9E3779B97F4A7C15

// newRNG seeds a stream by name. Every interview has a stream of its own, so
// that a new sentence in a table does not reshuffle all the others.
func newRNG(name string) *rng {
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * prime
	}
	return &rng{state: mix(h)}
}

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (r *rng) next() uint64 {
	r.state += golden
	return mix(r.state)
}

// below draws from 0 to n-1.
func (r *rng) below(n int) int {
	hi, _ := bits.Mul64(r.next(), uint64(n))
	return int(hi)
}

// between draws from lo to hi, both included.
func (r *rng) between(lo, hi int) int { return lo + r.below(hi-lo+1) }

// chance is true in perMille of a thousand draws. Integers all through: a
// fused multiply-add on another processor must not change the corpus.
func (r *rng) chance(perMille int) bool { return r.below(1000) < perMille }

func pick[T any](r *rng, from []T) T { return from[r.below(len(from))] }

// weighted draws an index in proportion to its weight; at least one weight
// must be positive.
func (r *rng) weighted(weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	at := r.below(sum)
	for i, w := range weights {
		if at < w {
			return i
		}
		at -= w
	}
	return len(weights) - 1
}

package fairqueue

import "slices"

// Queue holds waiting items by key. It serves the keys in rotation, and the items of a key
// in order of arrival. It is not safe for concurrent use.
type Queue[K comparable, T any] struct {
	size     int
	rotation []*list[K, T] // the next key first
	byKey    map[K]*list[K, T]
}

// list holds one key's items.
type list[K comparable, T any] struct {
	key   K
	items []T
}

// Push adds an item.
func (q *Queue[K, T]) Push(key K, item T) {
	l := q.byKey[key]
	if l == nil {
		if q.byKey == nil {
			q.byKey = map[K]*list[K, T]{}
		}
		l = &list[K, T]{key: key}
		q.byKey[key] = l
		q.rotation = append(q.rotation, l)
	}
	l.items = append(l.items, item)
	q.size++
}

// Pop removes the oldest item of the next key for which may is true; a nil may allows all.
func (q *Queue[K, T]) Pop(may func(K, T) bool) (item T, found bool) {
	for i, l := range q.rotation {
		if may != nil && !may(l.key, l.items[0]) {
			continue
		}
		if i == 0 {
			q.rotation = q.rotation[1:]
		} else {
			q.rotation = slices.Delete(q.rotation, i, i+1)
		}
		item, l.items = l.items[0], l.items[1:]
		q.size--
		if len(l.items) == 0 {
			delete(q.byKey, l.key)
		} else {
			q.rotation = append(q.rotation, l)
		}
		return item, true
	}
	return item, false
}

// Remove removes a key's first item for which is(item).
func (q *Queue[K, T]) Remove(key K, is func(T) bool) {
	l := q.byKey[key]
	if l == nil {
		return
	}
	at := slices.IndexFunc(l.items, is)
	if at < 0 {
		return
	}
	l.items = slices.Delete(l.items, at, at+1)
	q.size--
	if len(l.items) == 0 {
		delete(q.byKey, l.key)
		q.rotation = slices.DeleteFunc(q.rotation, func(other *list[K, T]) bool { return other == l })
	}
}

// Len is how many items wait.
func (q *Queue[K, T]) Len() int { return q.size }

// LenOf is how many items of a key wait.
func (q *Queue[K, T]) LenOf(key K) int {
	if l := q.byKey[key]; l != nil {
		return len(l.items)
	}
	return 0
}

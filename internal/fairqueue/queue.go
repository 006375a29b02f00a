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

// PopOf removes a key's oldest item if is(item). The key keeps its place in the rotation.
func (q *Queue[K, T]) PopOf(key K, is func(T) bool) (item T, found bool) {
	l := q.byKey[key]
	if l == nil || !is(l.items[0]) {
		return item, false
	}
	item = l.items[0]
	q.removeAt(l, 0)
	return item, true
}

// Remove removes a key's first item for which is(item).
func (q *Queue[K, T]) Remove(key K, is func(T) bool) {
	if l := q.byKey[key]; l != nil {
		if at := slices.IndexFunc(l.items, is); at >= 0 {
			q.removeAt(l, at)
		}
	}
}

func (q *Queue[K, T]) removeAt(l *list[K, T], at int) {
	if at == 0 {
		l.items = l.items[1:]
	} else {
		l.items = slices.Delete(l.items, at, at+1)
	}
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

// Before is how many items at most are served before the next item of a key.
func (q *Queue[K, T]) Before(key K) int {
	mine, others := q.LenOf(key), len(q.rotation)
	if mine > 0 {
		others--
	}
	return min(q.size, mine*(others+1)+others)
}

package ratelimit

import (
	"context"
	"crypto/sha256"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/gen/db"
	"github.com/clientintel/clientintel/internal/postgres"
)

const (
	// readKeyClientsEvery is how long a new key's client may be unknown.
	readKeyClientsEvery = 10 * time.Second
	// maxKeyClients bounds the keys whose client is known, to those that were used last.
	maxKeyClients = 10_000
)

// keyClients maps the hash of a prefix to the key's client before the secret is
// verified. It only chooses the queue in which a request waits: its client's, or one
// shared by all unknown prefixes.
type keyClients struct {
	byPrefixHash atomic.Pointer[map[[sha256.Size]byte]uuid.UUID]
}

// of returns the client of a prefix, zero if the prefix is unknown.
func (k *keyClients) of(prefix string) uuid.UUID {
	if known := k.byPrefixHash.Load(); known != nil {
		return (*known)[sha256.Sum256([]byte(prefix))]
	}
	return uuid.Nil
}

// run reads them in intervals until stop. While the database is unavailable, those
// read last stay.
func (k *keyClients) run(pool *postgres.Pool, stop <-chan struct{}) {
	tick := time.NewTicker(readKeyClientsEvery)
	defer tick.Stop()
	for {
		k.read(pool)
		select {
		case <-tick.C:
		case <-stop:
			return
		}
	}
}

func (k *keyClients) read(pool *postgres.Pool) {
	ctx, cancel := context.WithTimeout(context.Background(), groupTimeout)
	defer cancel()
	rows, err := db.New(pool).ListKeyClients(ctx, maxKeyClients)
	if err != nil {
		return
	}
	known := make(map[[sha256.Size]byte]uuid.UUID, len(rows))
	for _, row := range rows {
		known[[sha256.Size]byte(row.PrefixHash)] = row.ClientID
	}
	k.byPrefixHash.Store(&known)
}

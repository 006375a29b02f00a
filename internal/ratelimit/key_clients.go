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
	// readKeyClientsEvery is how late a new key's client is known.
	readKeyClientsEvery = 10 * time.Second
	// maxKeyClients bounds the keys whose client is known, to those used last.
	maxKeyClients = 10_000
)

// keyClients knows the client that a key's prefix names, before its secret is verified:
// requests that say they are a client's wait in that client's turn, and all those with
// unknown prefixes together in one. It decides nothing else.
type keyClients struct {
	byPrefixHash atomic.Pointer[map[[sha256.Size]byte]uuid.UUID]
}

// of is the client of a prefix; zero where it is not known.
func (k *keyClients) of(prefix string) uuid.UUID {
	if known := k.byPrefixHash.Load(); known != nil {
		return (*known)[sha256.Sum256([]byte(prefix))]
	}
	return uuid.Nil
}

// run reads them now and then until stop. Those of a store out of reach stay.
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

package search_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/apierror"
	"github.com/clientintel/clientintel/internal/search"
	"github.com/clientintel/clientintel/internal/test/check"
	"github.com/clientintel/clientintel/internal/test/dbtest"
)

func wantKind(t *testing.T, err error, want apierror.Kind, what string) {
	t.Helper()
	var f *apierror.Error
	if !errors.As(err, &f) || f.Kind != want {
		t.Errorf("%s: %v, want a fault of kind %d", what, err, want)
	}
}

// blockSlowSearches makes slow searches wait, inside the database, while the lock is held.
const blockSlowSearches = `CREATE OR REPLACE FUNCTION campaign_id_by_slug(client uuid, campaign_slug text) RETURNS uuid
	LANGUAGE plpgsql STABLE AS $$ BEGIN
		IF current_setting('enable_indexscan') = 'off' THEN PERFORM pg_advisory_xact_lock_shared(99); END IF;
		RETURN NULL;
	END $$`

// One search of a client runs at a time. Another waits for it and no longer than it may,
// holding no connection; other clients' searches pass by.
func TestSearch_OneOfAClientAtATime(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	quote := "support"
	client, other := addClient(t, conn, "acme", "legacy"), addClient(t, conn, "globex", "legacy")
	for n := range 5 {
		add(t, conn, client, said{id: uuid.New(), at: time.Unix(int64(n), 0), quote: &quote}, nil)
		add(t, conn, other, said{id: uuid.New(), at: time.Unix(int64(n), 0), quote: &quote}, nil)
	}
	dbtest.Exec(t, conn, blockSlowSearches)
	reader := openReader(t, database.OwnerURL, limitsOf(2))
	rare := search.Query{Text: "zanzibar", Limit: 5}

	dbtest.Exec(t, conn, "SELECT pg_advisory_lock(99)")
	first := make(chan error, 1)
	go func() {
		_, err := reader.Search(t.Context(), client, rare)
		first <- err
	}()
	waitUntil(t, conn, "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 99 AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))")
	for range 8 { // more than the pool has connections
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := reader.Search(ctx, client, rare)
		cancel()
		wantKind(t, err, apierror.KindUnavailable, "a second search")
	}
	found, err := reader.Search(t.Context(), other, search.Query{Text: "supp", Limit: 2})
	if err != nil || len(found.Hits) != 2 {
		t.Errorf("another client's search found %d (%v), want 2", len(found.Hits), err)
	}
	dbtest.Exec(t, conn, "SELECT pg_advisory_unlock(99)")
	check.NoError(t, <-first, "the first search")
	if _, err := reader.Search(t.Context(), client, rare); err != nil {
		t.Errorf("the slot did not come back: %v", err)
	}
}

// A slow search that takes too long is ended, and gives its turn back.
func TestSearch_SlowSearchesEndInTime(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	client := addClient(t, conn, "acme", "canonical")
	corpus(t, conn, client, rand.New(rand.NewPCG(1, 2)), 5)
	dbtest.Exec(t, conn, blockSlowSearches)
	dbtest.Exec(t, conn, "SELECT pg_advisory_lock(99)")
	limits := limitsOf(1)
	limits.Timeout = 50 * time.Millisecond
	reader := openReader(t, database.OwnerURL, limits)
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // the lock is held
		_, err := reader.Search(ctx, client, search.Query{Text: "zanzibar", Limit: 5})
		cancel()
		wantKind(t, err, apierror.KindUnavailable, "a search that takes too long")
		var refused *apierror.Error
		if errors.As(err, &refused); !strings.Contains(refused.Details, "three letters or more") {
			t.Errorf("the caller is not told what takes less: %q", refused.Details)
		}
	}
}

// Documents that cannot be proven are not returned: a trigger is off, or one
// stands for no usable interview. A rebuild adds what was missed.
func TestSearch_WhatIsNotKeptIsNotSearched(t *testing.T) {
	t.Parallel()
	database := dbtest.New(t)
	conn := dbtest.Connect(t, database.OwnerURL)
	random := rand.New(rand.NewPCG(61, 62))
	legacy, canonical := addClient(t, conn, "acme", "legacy"), addClient(t, conn, "globex", "canonical")
	corpus(t, conn, legacy, random, 20)
	corpus(t, conn, canonical, random, 20)
	readers := map[string]*search.Reader{
		"all in order": openReader(t, database.OwnerURL, limitsOf(math.MaxInt32)),
		"beyond":       openReader(t, database.OwnerURL, limitsOf(1)),
	}
	expectRefusal := func(what string) {
		for how, reader := range readers {
			_, err := reader.Search(context.Background(), legacy, search.Query{Text: "stray", Limit: 50})
			wantKind(t, err, apierror.KindInternal, what+", "+how+", legacy")
			_, err = reader.Search(context.Background(), canonical, search.Query{Text: "stray", Limit: 50})
			wantKind(t, err, apierror.KindMeasurementUnavailable, what+", "+how+", canonical")
		}
	}
	for _, event := range []string{"insert", "update", "delete"} {
		dbtest.Exec(t, conn, "ALTER TABLE interviews DISABLE TRIGGER maintain_search_documents_on_"+event)
		expectRefusal("no trigger on " + event)
		dbtest.Exec(t, conn, "ALTER TABLE interviews ENABLE ALWAYS TRIGGER maintain_search_documents_on_"+event)
	}
	dbtest.Exec(t, conn, `INSERT INTO search_documents (client_id, id, created_at, folded)
		SELECT client_id, gen_random_uuid(), created_at, 'a stray document' FROM search_documents`)
	expectRefusal("a stray document")
	dbtest.Exec(t, conn, "UPDATE search_documents SET folded = 'changed', indexed = true WHERE "+pick(random))
	var rebuilt int
	if err := conn.QueryRow(context.Background(), "SELECT sum(rebuild_search_documents(id)) FROM clients").Scan(&rebuilt); err != nil || rebuilt == 0 {
		t.Fatalf("%d documents were rebuilt (%v)", rebuilt, err)
	}
	wantTrue(t, conn, "rebuilding")
	if err := conn.QueryRow(context.Background(), "SELECT sum(rebuild_search_documents(id)) FROM clients").Scan(&rebuilt); err != nil || rebuilt != 0 {
		t.Errorf("rebuilding again wrote %d documents (%v)", rebuilt, err)
	}
}

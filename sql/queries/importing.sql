-- The queries of the importer alone, which works for one client or all of them, many on an
-- import's temporary tables (sql/importing). One that finds lines returns of each its number,
-- kind, client and id, the field and what is wrong with it.

-- name: SetLockTimeout :exec
-- SetLockTimeout bounds the wait for each lock until the transaction ends.
SELECT set_config('lock_timeout', @timeout::text, true);

-- name: TryLockClients :one
-- TryLockClients takes the locks of clients, in one order, as far as they are free, and returns
-- one that is not. Many clients share a lock, as the database has room for a bounded number.
SELECT l.key::bigint AS key
FROM (
    SELECT DISTINCT hashtextextended('clientintel import', get_byte(uuid_send(c.id), 15)) AS key
    FROM unnest(@client_ids::uuid[]) AS c (id)
    ORDER BY key
) AS l
WHERE NOT pg_try_advisory_xact_lock(l.key)
LIMIT 1;

-- name: LockClients :exec
-- LockClients takes the same locks, and waits for them.
SELECT pg_advisory_xact_lock(l.key)
FROM (
    SELECT DISTINCT hashtextextended('clientintel import', get_byte(uuid_send(c.id), 15)) AS key
    FROM unnest(@client_ids::uuid[]) AS c (id)
    ORDER BY key
) AS l;

-- name: NoteImport :exec
-- NoteImport writes a row for each of an import's clients, or one without a client.
INSERT INTO imports (client_id, command, source, account, started_at, finished_at, kinds, error)
SELECT c.id, @command, nullif(@source::text, ''), @account::text, @started_at, CASE WHEN @error::text = '' THEN clock_timestamp() END, @kinds, left(nullif(@error::text, ''), 2000)
FROM unnest(coalesce(nullif(@client_ids::uuid[], '{}'), ARRAY[NULL]::uuid[])) AS c (id);

-- name: ForgetOldImports :exec
-- ForgetOldImports ends what a client's notes take. The last success is newer.
DELETE FROM imports AS i
WHERE i.client_id = ANY (@client_ids::uuid[])
    AND i.started_at < now() - interval '90 days';

-- name: FindPerson :many
-- FindPerson finds the interview of an id, which need not be there any more, or those of an
-- address.
SELECT
    o.id,
    coalesce(trim(i.participant_name), '')::text AS name,
    coalesce(trim(i.participant_email), '')::text AS email
FROM record_owners AS o
LEFT JOIN interviews AS i ON i.client_id = o.client_id AND i.id = o.id
WHERE o.kind = 'interview'
    AND o.client_id = @client_id
    AND (o.id = @interview OR lower(trim(i.participant_email)) = lower(trim(nullif(@email::text, ''))))
ORDER BY o.id;

-- name: FindMentions :many
-- FindMentions finds the records that hold an interview's id, or a name: as whole words, so that
-- Ada is not found in Adams, and escaped as JSON has a text inside of another.
WITH named AS (
    SELECT '(^|[^[:alnum:]]|\\[bfnrt]|\\u[0-9a-f]{4})'
        || regexp_replace(lower(trim(both '"' FROM to_jsonb(n.text)::text)), '([^[:alnum:]])', '\\\1', 'g')
        || '([^[:alnum:]]|$)' AS pattern
    FROM unnest(@names::text[]) AS n (text)
)

SELECT 'synthesis_document'::text AS kind, d.id
FROM synthesis_documents AS d
WHERE d.client_id = @client_id
    AND EXISTS (SELECT FROM named AS n WHERE lower(d.document::text) ~ n.pattern)
UNION ALL
SELECT 'portal_document', d.id
FROM portal_documents AS d
WHERE d.client_id = @client_id
    AND EXISTS (SELECT FROM named AS n WHERE lower(d.body::text) ~ n.pattern)
UNION ALL
SELECT 'measurement_snapshot', s.id
FROM measurement_snapshots AS s
WHERE s.client_id = @client_id
    AND s.source_interview_ids && @interviews::uuid[];

-- name: ForgetIDs :exec
-- ForgetIDs takes interviews out of a client's saved bases.
UPDATE measurement_snapshots AS s
SET source_interview_ids = ARRAY(
    SELECT u.id
    FROM unnest(s.source_interview_ids) WITH ORDINALITY AS u (id, n)
    WHERE u.id <> ALL (@interviews::uuid[])
    ORDER BY u.n
)
WHERE s.client_id = @client_id
    AND s.source_interview_ids && @interviews::uuid[];

-- name: WithdrawSynthesisDocuments :exec
UPDATE synthesis_documents AS d
SET status = 'withdrawn'
WHERE d.client_id = @client_id
    AND d.id = ANY (@ids::uuid[]);

-- name: WithdrawPortalDocuments :exec
UPDATE portal_documents AS d
SET status = 'withdrawn'
WHERE d.client_id = @client_id
    AND d.id = ANY (@ids::uuid[]);

-- name: EraseInterviews :exec
DELETE FROM interviews AS i
WHERE i.client_id = @client_id
    AND i.id = ANY (@interviews::uuid[]);

-- name: SuppressInterviews :exec
-- SuppressInterviews keeps imports from bringing interviews back.
INSERT INTO suppressed_interviews (client_id, id)
SELECT @client_id, u.id
FROM unnest(@interviews::uuid[]) AS u (id)
ON CONFLICT DO NOTHING;

-- name: ListImportedKeys :execrows
-- ListImportedKeys lists of each record the last line, and what is checked of it.
INSERT INTO import_keys (line, kind, client_id, id, deletes, slug, campaign_id, lane_id, measurement_snapshot_id)
SELECT DISTINCT ON (l.kind, l.client_id, l.id)
    l.line, l.kind, l.client_id, l.id, l.deletes, l.slug, l.campaign_id, l.lane_id, l.measurement_snapshot_id
FROM import_lines AS l
ORDER BY l.kind, l.client_id, l.id, l.line DESC;

-- name: ListImportedClients :many
-- ListImportedClients lists the clients of which the input has records.
SELECT DISTINCT k.client_id FROM import_keys AS k;

-- name: ForgetErasedIDs :exec
-- ForgetErasedIDs takes erased interviews out of the input's saved bases.
UPDATE import_lines AS l
SET source_interview_ids = ARRAY(
    SELECT u.id
    FROM unnest(l.source_interview_ids) WITH ORDINALITY AS u (id, n)
    WHERE NOT EXISTS (SELECT FROM suppressed_interviews AS s WHERE s.client_id = l.client_id AND s.id = u.id)
    ORDER BY u.n
)
WHERE l.kind = 'measurement_snapshot'
    AND EXISTS (
        SELECT FROM suppressed_interviews AS s WHERE s.client_id = l.client_id AND s.id = ANY (l.source_interview_ids)
    );

-- name: ForgetErasedInterviews :execrows
-- ForgetErasedInterviews forgets the lines of interviews that were erased, and counts them.
DELETE FROM import_keys AS k
USING suppressed_interviews AS s
WHERE k.kind = 'interview'
    AND NOT k.deletes
    AND k.client_id = s.client_id
    AND k.id = s.id;

-- name: ListStoredClients :exec
-- ListStoredClients copies what is stored, as the next three do: a distributed table cannot be
-- joined with a local one in every way.
INSERT INTO import_stored (kind, client_id, id, slug)
SELECT 'client', c.id, c.id, c.slug
FROM clients AS c;

-- name: ListStoredCampaigns :exec
INSERT INTO import_stored (kind, client_id, id, slug)
SELECT 'campaign', c.client_id, c.id, c.slug
FROM campaigns AS c
JOIN (SELECT DISTINCT n.client_id FROM import_keys AS n) AS k ON k.client_id = c.client_id;

-- name: ListStoredLanes :exec
INSERT INTO import_stored (kind, client_id, id, slug)
SELECT 'lane', l.client_id, l.id, l.slug
FROM lanes AS l
JOIN (SELECT DISTINCT n.client_id FROM import_keys AS n) AS k ON k.client_id = l.client_id;

-- name: ListStoredSnapshots :exec
INSERT INTO import_stored (kind, client_id, id)
SELECT 'measurement_snapshot', s.client_id, s.id
FROM measurement_snapshots AS s
JOIN (SELECT DISTINCT n.client_id FROM import_keys AS n) AS k ON k.client_id = s.client_id;

-- name: RegisterIDs :exec
-- RegisterIDs registers the input's ids, in their order, so that two imports that share some
-- wait for each other and do not deadlock.
INSERT INTO record_owners (kind, id, client_id)
SELECT DISTINCT ON (k.id, k.kind) k.kind, k.id, k.client_id
FROM import_keys AS k
WHERE k.kind NOT IN ('client', 'api_key', 'request_log')
    AND NOT k.deletes
ORDER BY k.id, k.kind, k.line
ON CONFLICT DO NOTHING;

-- name: FindForeignIDs :many
-- FindForeignIDs finds the lines whose ids belong to other clients.
SELECT
    k.line,
    k.kind,
    k.client_id::text,
    k.id::text,
    (CASE k.kind WHEN 'measurement_snapshot' THEN 'snapshot_id' ELSE 'id' END)::text AS field,
    format('%s belongs to client %s, also after it was deleted there, until clients release frees it', k.id, o.client_id) AS reason
FROM import_keys AS k
JOIN record_owners AS o ON o.kind = k.kind AND o.id = k.id
WHERE o.client_id <> k.client_id;

-- name: LockClientSlugs :exec
-- LockClientSlugs lets one import at a time check clients' slugs where no index proves them
-- unique: where tables are distributed.
SELECT pg_advisory_xact_lock(hashtextextended('clientintel client slugs', 0))
WHERE to_regclass('public.clients_of_slug') IS NOT NULL;

-- name: FindTakenSlugs :many
-- FindTakenSlugs finds the lines whose slug another record has. The database's constraint would
-- fail at the commit, and not name the line.
SELECT
    s.line,
    s.kind,
    s.client_id::text,
    s.id::text,
    'slug' AS field,
    format('"%s" is the slug of %s %s already', s.slug, s.kind, s.holder) AS reason
FROM (
    SELECT u.line, u.kind, u.client_id, u.id, u.slug, first_value(u.id) OVER w AS holder, row_number() OVER w AS n
    FROM (
        SELECT k.line, k.kind, k.client_id, k.id, k.slug, CASE WHEN k.kind <> 'client' THEN k.client_id END AS within
        FROM import_keys AS k
        WHERE k.slug IS NOT NULL
            AND NOT k.deletes
        UNION ALL
        SELECT 0, s.kind, s.client_id, s.id, s.slug, CASE WHEN s.kind <> 'client' THEN s.client_id END
        FROM import_stored AS s
        LEFT JOIN import_keys AS k ON k.kind = s.kind AND k.client_id = s.client_id AND k.id = s.id
        WHERE s.slug IS NOT NULL
            AND k.id IS NULL
    ) AS u
    WINDOW w AS (PARTITION BY u.kind, u.within, u.slug ORDER BY u.line)
) AS s
WHERE s.n > 1;

-- name: SetAside :exec
-- SetAside deletes the records of lines that are set aside.
UPDATE import_keys AS k
SET deletes = true, line = NULL
WHERE k.line = ANY (@lines::bigint[]);

-- name: CountImported :one
-- CountImported counts what the input writes and deletes of a kind.
SELECT
    count(*) FILTER (WHERE NOT k.deletes) AS writes,
    count(*) FILTER (WHERE k.deletes AND k.line IS NOT NULL) AS deletes
FROM import_keys AS k
WHERE k.kind = @kind;

-- name: ListDeletedClients :many
-- ListDeletedClients lists the clients that the input deletes.
SELECT k.id
FROM import_keys AS k
WHERE k.kind = 'client'
    AND k.deletes;

-- name: ListImportedAPIKeys :exec
-- ListImportedAPIKeys makes a list of its own of the keys.
INSERT INTO import_api_keys (line, kind, client_id, id, prefix, name, secret_hash, scopes, created_at, expires_at, revoked_at, last_used_at)
SELECT k.line, k.kind, l.client_id, l.id, l.prefix, l.name, l.secret_hash, l.scopes, l.created_at, l.expires_at, l.revoked_at, l.last_used_at
FROM import_keys AS k
JOIN import_lines AS l ON l.line = k.line
WHERE k.kind = 'api_key';

-- name: LockKeysOfImportedClients :exec
-- LockKeysOfImportedClients keeps others from adding keys, as whoever issues one does. In one
-- order, or two imports could wait for each other.
SELECT pg_advisory_xact_lock(hashtextextended(k.client, 601))
FROM unnest((SELECT array_agg(DISTINCT l.client_id::text) FROM import_api_keys AS l)) AS k (client);

-- name: FindKeysOfNoClient :many
SELECT k.line, k.kind, k.client_id::text, k.id::text, 'client_id' AS field, format('there is no client %s', k.client_id) AS reason
FROM import_api_keys AS k
LEFT JOIN clients AS c ON c.id = k.client_id
WHERE c.id IS NULL;

-- name: FindChangedKeys :many
SELECT
    k.line,
    k.kind,
    k.client_id::text,
    k.id::text,
    'prefix' AS field,
    format('%s differs from the key %s, which is there already, in more than when it ends', k.prefix, a.prefix) AS reason
FROM import_api_keys AS k
JOIN api_keys AS a ON a.prefix = k.prefix OR a.id = k.id
WHERE (a.prefix, a.id, a.client_id, a.secret_hash, a.scopes) IS DISTINCT FROM (k.prefix, k.id, k.client_id, k.secret_hash, k.scopes);

-- name: KeepRevoked :exec
-- KeepRevoked revokes a key that was revoked here and purged.
UPDATE import_api_keys AS k
SET revoked_at = least(k.revoked_at, r.revoked_at)
FROM revoked_keys AS r
WHERE r.client_id = k.client_id
    AND r.prefix = k.prefix;

-- name: FindKeysOfOtherScopes :many
-- FindKeysOfOtherScopes finds new keys in force with scopes that their client may not have.
SELECT
    k.line,
    k.kind,
    k.client_id::text,
    k.id::text,
    'scopes' AS field,
    format('keys of client %s may have %s only: revoke the key where it comes from', c.slug, array_to_string(c.allowed_scopes, ', ')) AS reason
FROM import_api_keys AS k
JOIN clients AS c ON c.id = k.client_id
WHERE NOT k.scopes <@ c.allowed_scopes
    AND (k.revoked_at IS NULL OR k.revoked_at > now())
    AND (k.expires_at IS NULL OR k.expires_at > now())
    AND NOT EXISTS (SELECT FROM api_keys AS a WHERE a.prefix = k.prefix);

-- name: FindTooManyKeys :many
-- FindTooManyKeys finds a line of each client that has more keys in force than it may.
SELECT
    max(l.line) AS line,
    'api_key' AS kind,
    l.client_id::text,
    ((array_agg(l.id ORDER BY l.line DESC))[1])::text AS id,
    'client_id' AS field,
    format('client %s would have more than %s keys in force: revoke some first', l.client_id, @max_keys::bigint) AS reason
FROM import_api_keys AS l
GROUP BY l.client_id
HAVING (
    SELECT count(*)
    FROM api_keys AS k
    WHERE k.client_id = l.client_id
        AND (k.revoked_at IS NULL OR k.revoked_at > now())
        AND (k.expires_at IS NULL OR k.expires_at > now())
) > @max_keys::bigint;

-- name: MergeAPIKeys :one
-- MergeAPIKeys writes the keys. One that exists is only ended, never brought back or widened.
-- What moved more than a key's last use is noted: there, api_keys is as it was before.
WITH changed AS (
    UPDATE api_keys AS a
    SET expires_at = least(a.expires_at, k.expires_at),
        revoked_at = least(a.revoked_at, k.revoked_at),
        last_used_at = greatest(a.last_used_at, k.last_used_at)
    FROM import_api_keys AS k
    WHERE a.prefix = k.prefix
        AND (least(a.expires_at, k.expires_at), least(a.revoked_at, k.revoked_at), greatest(a.last_used_at, k.last_used_at))
            IS DISTINCT FROM (a.expires_at, a.revoked_at, a.last_used_at)
    RETURNING a.prefix, a.id, a.client_id, a.name, a.scopes, a.expires_at, a.revoked_at
),

added AS (
    INSERT INTO api_keys AS a (client_id, id, prefix, name, secret_hash, scopes, created_at, expires_at, revoked_at, last_used_at)
    SELECT k.client_id, k.id, k.prefix, k.name, k.secret_hash, k.scopes, k.created_at, k.expires_at, k.revoked_at, k.last_used_at
    FROM import_api_keys AS k
    ON CONFLICT (prefix) DO NOTHING
    RETURNING a.prefix, a.id, a.client_id, a.name, a.scopes, a.expires_at, a.revoked_at
),

noted AS (
    INSERT INTO key_audits (client_id, action, key_id, account, actor, detail)
    SELECT k.client_id, 'import', k.id, @account::text, @account::text, format('%s: %s, scopes %s, expires %s, revoked %s',
        k.how, to_json(regexp_replace(k.name, '[\u007f-\u009f]', '?', 'g')), array_to_string(k.scopes, ','),
        coalesce(k.expires_at::text, 'never'), coalesce(k.revoked_at::text, 'no'))
    FROM (SELECT 'now' AS how, c.* FROM changed AS c UNION ALL SELECT 'new', d.* FROM added AS d) AS k
    LEFT JOIN api_keys AS a ON a.prefix = k.prefix
    WHERE a.prefix IS NULL OR (a.expires_at, a.revoked_at) IS DISTINCT FROM (k.expires_at, k.revoked_at)
)

SELECT (SELECT count(*) FROM added) AS added, (SELECT count(*) FROM changed) AS changed;

-- name: ListImportedLog :exec
-- ListImportedLog makes a list of its own of the log's rows.
INSERT INTO import_request_log (line, kind, client_id, key_id, at, seq, route)
SELECT k.line, k.kind, l.client_id, l.key_id, l.at, l.seq, l.route
FROM import_keys AS k
JOIN import_lines AS l ON l.line = k.line
WHERE k.kind = 'request_log';

-- name: FindLogOfNoKey :many
SELECT
    l.line, l.kind, l.client_id::text, l.key_id::text AS id, 'key_id' AS field, format('client %s has no key %s', l.client_id, l.key_id) AS reason
FROM import_request_log AS l
WHERE NOT EXISTS (SELECT FROM api_keys AS a WHERE a.id = l.key_id AND a.client_id = l.client_id);

-- name: LockImportedKeys :exec
-- LockImportedKeys waits for the admissions under way of the log's keys, and keeps others out
-- until the transaction ends. In the order of admit.
SELECT pg_advisory_xact_lock(r.lock)
FROM unnest((
    SELECT array_agg(DISTINCT hashtextextended(a.prefix, 600))
    FROM api_keys AS a
    WHERE a.id IN (SELECT l.key_id FROM import_request_log AS l)
)) AS r (lock);

-- name: FindLogOfUsedKeys :many
-- FindLogOfUsedKeys finds the rows of keys that were used here in the last hour: admit counts a
-- window by the numbers of its first and last row, so rows of two databases would miscount it.
SELECT
    l.line,
    l.kind,
    l.client_id::text,
    l.key_id::text AS id,
    'key_id' AS field,
    'the key was used here in the last hour: import again when it has passed' AS reason
FROM import_request_log AS l
WHERE l.at > statement_timestamp() - interval '1 hour'
    AND NOT EXISTS (
        SELECT
        FROM request_log AS r
        WHERE (r.client_id, r.key_id, r.at, r.seq) = (l.client_id, l.key_id, l.at, l.seq)
    )
    AND EXISTS (
        SELECT
        FROM request_log AS r
        WHERE r.client_id = l.client_id
            AND r.key_id = l.key_id
            AND r.at > statement_timestamp() - interval '1 hour'
            AND NOT EXISTS (
                SELECT
                FROM import_request_log AS i
                WHERE (i.client_id, i.key_id, i.at, i.seq) = (r.client_id, r.key_id, r.at, r.seq)
            )
    );

-- name: MergeRequestLog :execrows
INSERT INTO request_log (client_id, key_id, at, seq, route)
SELECT l.client_id, l.key_id, l.at, l.seq, l.route
FROM import_request_log AS l
ON CONFLICT DO NOTHING;

package importer

import (
	"fmt"
	"strings"
)

// claimQuery registers the ids of a batch for their clients. Ids are claimed in order, so
// that two imports with common ids wait for each other within a batch instead of
// deadlocking.
func (k *kind) claimQuery() string {
	return fmt.Sprintf("INSERT INTO record_owners (kind, id, client_id) SELECT '%s', i.id, i.client_id FROM import_ids AS i ORDER BY i.id", k.name)
}

// insertQuery moves rows of which none exists from the staging table.
func (k *kind) insertQuery() string {
	return fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM import_%[1]s", k.table, strings.Join(k.columnNames(), ", "))
}

// mergeQueries move staged rows of which some exist: they insert the new ones, then
// update those that differ. They compare the stored bytes: to jsonb 1.0 and 1.00 are
// equal, and readers are promised every digit. A record that is stored as the file has
// it is neither written nor locked, so importing the same file again costs little, and
// two imports that share a campaign do not wait for each other. Without RETURNING, Citus
// counts the rows that existed as inserted.
func (k *kind) mergeQueries() []string {
	if k == clientKind {
		return mergeClientsQueries
	}
	columns := k.columnNames()
	update := fmt.Sprintf(`UPDATE %[1]s AS t SET (%[2]s) = ROW(%[4]s)
		FROM import_%[1]s AS s
		WHERE t.client_id = s.client_id AND t.id = s.id AND record_image_ne(ROW(%[3]s), ROW(%[4]s))`,
		k.table, strings.Join(columns, ", "), "t."+strings.Join(columns, ", t."), "s."+strings.Join(columns, ", s."))
	return []string{k.insertQuery() + " ON CONFLICT (client_id, id) DO NOTHING RETURNING 1", update}
}

// A line without a mode leaves mode and version as they are; a version that it
// names all the same is taken.
var mergeClientsQueries = []string{
	`INSERT INTO clients (id, slug, name, measurement_mode, measurement_contract_version)
		SELECT s.id, s.slug, s.name, coalesce(s.measurement_mode, 'legacy'), s.measurement_contract_version
		FROM import_clients AS s
		ON CONFLICT (id) DO NOTHING
		RETURNING 1`,
	`UPDATE clients AS t
		SET slug = n.slug,
			name = n.name,
			measurement_mode = n.measurement_mode,
			measurement_contract_version = n.measurement_contract_version
		FROM (
			SELECT
				s.id,
				s.slug,
				s.name,
				coalesce(s.measurement_mode, c.measurement_mode) AS measurement_mode,
				CASE
					WHEN s.measurement_mode IS NULL
					THEN coalesce(s.measurement_contract_version, c.measurement_contract_version)
					ELSE s.measurement_contract_version
				END AS measurement_contract_version
			FROM import_clients AS s
			JOIN clients AS c ON c.id = s.id
		) AS n
		WHERE t.id = n.id
			AND record_image_ne(ROW(t.slug, t.name, t.measurement_mode, t.measurement_contract_version),
				ROW(n.slug, n.name, n.measurement_mode, n.measurement_contract_version))`,
}

package importer

// kind is one kind of record: a row of the import format's table.
type kind struct {
	name string
	// withArticle is the name with its article.
	withArticle string
	table       string
	idField     string
	// columns begin with that of the client: client_id, a client's own id.
	columns []column
}

// column is a field of a record and the column it is written to.
type column struct {
	field    string
	name     string
	typ      fieldType
	presence presence
	// missing is written for a field that is left out.
	missing any
	// references is the kind of record that a field names, of the same client.
	references *kind
}

type presence byte

const (
	required presence = iota
	nullable
	defaulted
)

func requiredField(field string, f fieldType) column {
	return column{field: field, name: field, typ: f}
}

func nullableField(field string, f fieldType) column {
	return column{field: field, name: field, typ: f, presence: nullable}
}

// flagField is a boolean that is false when left out.
func flagField(field string) column {
	return column{field: field, name: field, typ: booleanType, presence: defaulted, missing: false}
}

func (c column) referencing(k *kind) column {
	c.references = k
	return c
}

// The file calls a campaign a conversation goal, the database does not.
var campaignReference = column{field: "conversation_goal_id", name: "campaign_id", typ: uuidType, presence: nullable, references: campaignKind}

// kinds are in the order of an import's summary.
var kinds = []*kind{
	clientKind,
	campaignKind,
	laneKind,
	interviewKind,
	synthesisKind,
	portalKind,
	snapshotKind,
}

var synthesisKind = &kind{
	name: "synthesis_document", withArticle: "a synthesis_document", table: "synthesis_documents", idField: "id",
	columns: []column{
		requiredField("client_id", uuidType).referencing(clientKind),
		requiredField("id", uuidType),
		requiredField("synthesis_type", synthesisTypeType),
		nullableField("lane_id", uuidType).referencing(laneKind),
		campaignReference,
		requiredField("document", objectType),
		requiredField("contract_version", nonEmptyTextType),
		requiredField("status", textType),
		nullableField("cadence", textType),
		nullableField("feed_date", dateType),
		nullableField("last_refreshed", timestampType),
		requiredField("created_at", timestampType),
		requiredField("updated_at", timestampType),
	},
}

var portalKind = &kind{
	name: "portal_document", withArticle: "a portal_document", table: "portal_documents", idField: "id",
	columns: []column{
		requiredField("client_id", uuidType).referencing(clientKind),
		requiredField("id", uuidType),
		requiredField("type", synthesisTypeType),
		nullableField("lane_id", uuidType).referencing(laneKind),
		campaignReference,
		nullableField("feed_date", dateType),
		requiredField("body", portalBodyType),
		requiredField("status", textType),
		nullableField("published_at", timestampType),
		nullableField("measurement_snapshot_id", uuidType).referencing(snapshotKind),
	},
}

// A client is its own client_id. Its mode is null when the line leaves it as it is.
var clientKind = &kind{
	name: "client", withArticle: "a client", table: "clients", idField: "id",
	columns: []column{
		requiredField("id", uuidType),
		requiredField("slug", slugType),
		requiredField("name", nonEmptyTextType),
		{field: "measurement_mode", name: "measurement_mode", typ: modeType, presence: defaulted},
		// Bounded, as a line that leaves it out keeps it: with a long name of that line it
		// could make a record that no line holds.
		nullableField("measurement_contract_version", slugType),
		// Null allows all; a line that leaves it out leaves it as it is.
		{field: "allowed_scopes", name: "allowed_scopes", typ: scopesType, presence: nullable, missing: []string{scopesUnchanged}},
	},
}

// scopesUnchanged is no scope: it stands for the list that is there.
const scopesUnchanged = "unchanged"

var campaignKind = &kind{
	name: "campaign", withArticle: "a campaign", table: "campaigns", idField: "id",
	columns: []column{
		requiredField("client_id", uuidType).referencing(clientKind),
		requiredField("id", uuidType),
		requiredField("slug", slugType),
		nullableField("display_name", textType),
		nullableField("campaign_brief", textType),
		nullableField("goal", textType),
		nullableField("goal_context", textType),
		nullableField("key_questions", keyQuestionsType),
		nullableField("target_segment", textType),
		nullableField("playbook", textType),
		nullableField("cadence", textType),
		nullableField("active", booleanType),
		nullableField("launch_status", textType),
		nullableField("launched_at", timestampType),
		nullableField("last_refreshed", timestampType),
		nullableField("created_at", timestampType),
		nullableField("updated_at", timestampType),
	},
}

var snapshotKind = &kind{
	name: "measurement_snapshot", withArticle: "a measurement_snapshot", table: "measurement_snapshots", idField: "snapshot_id",
	columns: []column{
		requiredField("client_id", uuidType).referencing(clientKind),
		{field: "snapshot_id", name: "id", typ: uuidType},
		requiredField("as_of", timestampType),
		requiredField("measurement_contract_version", nonEmptyTextType),
		requiredField("scope_hash", hashType),
		requiredField("membership_hash", hashType),
		requiredField("source_interview_ids", uuidListType),
		requiredField("source_count", countType),
	},
}

var laneKind = &kind{
	name: "lane", withArticle: "a lane", table: "lanes", idField: "id",
	columns: []column{
		requiredField("client_id", uuidType).referencing(clientKind),
		requiredField("id", uuidType),
		requiredField("slug", slugType),
		nullableField("display_name", textType),
		requiredField("visible", booleanType),
	},
}

var interviewKind = &kind{
	name: "interview", withArticle: "an interview", table: "interviews", idField: "id",
	columns: []column{
		requiredField("client_id", uuidType).referencing(clientKind),
		requiredField("id", uuidType),
		campaignReference,
		requiredField("created_at", timestampType),
		nullableField("duration_seconds", numberType),
		nullableField("nps_score", numberType),
		flagField("is_test"),
		flagField("reportable"),
		flagField("client_safe"),
		requiredField("status", textType),
		requiredField("quality", qualityType),
		nullableField("engagement", textType),
		nullableField("participant_name", privateTextType),
		nullableField("participant_email", privateTextType),
		nullableField("interview_type", textType),
		nullableField("customer_sentiment", textType),
		nullableField("churn_risk", textType),
		nullableField("best_quote", privateTextType),
		nullableField("transcript", transcriptType),
		nullableField("raw_extraction", objectType),
		nullableField("custom_extraction", objectType),
	},
}

// kindNamed is nil for a kind that there is not.
func kindNamed(name string) *kind {
	for _, k := range lineKinds {
		if k.name == name {
			return k
		}
	}
	return nil
}

// fields are the names of the fields that are written to columns.
func fields(columns []column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.field
	}
	return names
}

// columnNames are those of the table that an import writes.
func (k *kind) columnNames() []string {
	names := make([]string, len(k.columns))
	for i, c := range k.columns {
		names[i] = c.name
	}
	return names
}

func kindNames() string { return list(append([]string{clientKind.name}, ReplaceableKinds()...), "or") }

package importer

// kind is one kind of record: a row of the import format's table.
type kind struct {
	name string
	// a is the name with its article.
	a       string
	table   string
	idField string
	columns []column
	// slugged says that a slug names one record of this kind within its client.
	slugged bool
}

// column is a field of a record and the column it is written to.
type column struct {
	// field is empty when the value does not come from the file.
	field string
	name  string
	form  form
	need  need
	// missing is written for a field that is left out: false, if anything.
	missing []byte
	// refers names the kind of record that a field points to, in the same client.
	refers *kind
	// told marks what people said and who they are: errors never repeat it.
	told bool
}

type need byte

const (
	required need = iota
	nullable
	defaulted
)

func must(field string, f form) column { return column{field: field, name: field, form: f} }

func may(field string, f form) column {
	return column{field: field, name: field, form: f, need: nullable}
}

// mark is a boolean that is false when left out.
func mark(field string) column {
	return column{field: field, name: field, form: anyBool, need: defaulted, missing: []byte{0}}
}

func (c column) to(k *kind) column {
	c.refers = k
	return c
}

func (c column) private() column {
	c.told = true
	return c
}

func (c column) as(name string) column {
	c.name = name
	return c
}

// The file calls a campaign a conversation goal, the database does not.
var campaignReference = may("conversation_goal_id", anyUUID).as("campaign_id").to(campaignKind)

var (
	synthesisType = oneOf("lane", "campaign", "home", "daily_feed", "playbook", "creative_concept")
	quality       = oneOf("passed", "failed", "pending")
	mode          = oneOf("legacy", "canonical")
)

// kinds stand in the order in which a finished import is summed up.
var kinds = []*kind{
	clientKind,
	campaignKind,
	laneKind,
	interviewKind,
	{
		name: "synthesis_document", a: "a synthesis_document", table: "synthesis_documents", idField: "id",
		columns: []column{
			must("client_id", anyUUID).to(clientKind),
			must("id", anyUUID),
			must("synthesis_type", synthesisType),
			may("lane_id", anyUUID).to(laneKind),
			campaignReference,
			must("document", anyObject).private(),
			must("contract_version", filledText),
			must("status", anyText),
			may("cadence", anyText),
			may("feed_date", calendarDay),
			may("last_refreshed", instant),
			must("created_at", instant),
			must("updated_at", instant),
		},
	},
	{
		name: "portal_document", a: "a portal_document", table: "portal_documents", idField: "id",
		columns: []column{
			must("client_id", anyUUID).to(clientKind),
			must("id", anyUUID),
			must("type", synthesisType),
			may("lane_id", anyUUID).to(laneKind),
			campaignReference,
			may("feed_date", calendarDay),
			must("body", portalBody).private(),
			must("status", anyText),
			may("published_at", instant),
			may("measurement_snapshot_id", anyUUID).to(snapshotKind),
		},
	},
	snapshotKind,
}

// A client is its own client_id. Its mode is null when the line leaves it as it is.
var clientKind = &kind{
	name: "client", a: "a client", table: "clients", idField: "id", slugged: true,
	columns: []column{
		must("id", anyUUID),
		must("slug", slugText),
		must("name", filledText),
		{field: "measurement_mode", name: "measurement_mode", form: mode, need: defaulted},
		may("measurement_contract_version", filledText),
	},
}

var campaignKind = &kind{
	name: "campaign", a: "a campaign", table: "campaigns", idField: "id", slugged: true,
	columns: []column{
		must("client_id", anyUUID).to(clientKind),
		must("id", anyUUID),
		must("slug", slugText),
		may("display_name", anyText),
		may("campaign_brief", anyText),
		may("goal", anyText),
		may("goal_context", anyText),
		may("key_questions", questions),
		may("target_segment", anyText),
		may("playbook", anyText),
		may("cadence", anyText),
		may("active", anyBool),
		may("launch_status", anyText),
		may("launched_at", instant),
		may("last_refreshed", instant),
		may("created_at", instant),
		may("updated_at", instant),
	},
}

var snapshotKind = &kind{
	name: "measurement_snapshot", a: "a measurement_snapshot", table: "measurement_snapshots", idField: "snapshot_id",
	columns: []column{
		must("client_id", anyUUID).to(clientKind),
		must("snapshot_id", anyUUID).as("id"),
		must("as_of", instant),
		must("measurement_contract_version", filledText),
		must("scope_hash", hashText),
		must("membership_hash", hashText),
		must("source_interview_ids", uuidList),
		must("source_count", anyCount),
	},
}

var laneKind = &kind{
	name: "lane", a: "a lane", table: "lanes", idField: "id", slugged: true,
	columns: []column{
		must("client_id", anyUUID).to(clientKind),
		must("id", anyUUID),
		must("slug", slugText),
		may("display_name", anyText),
		must("visible", anyBool),
	},
}

var interviewKind = &kind{
	name: "interview", a: "an interview", table: "interviews", idField: "id",
	columns: []column{
		must("client_id", anyUUID).to(clientKind),
		must("id", anyUUID),
		campaignReference,
		must("created_at", instant),
		may("duration_seconds", anyNumber),
		may("nps_score", anyNumber),
		mark("is_test"),
		mark("reportable"),
		mark("client_safe"),
		must("status", anyText),
		must("quality", quality),
		may("engagement", anyText),
		may("participant_name", anyText).private(),
		may("participant_email", anyText).private(),
		may("interview_type", anyText),
		may("customer_sentiment", anyText),
		may("churn_risk", anyText),
		may("best_quote", anyText).private(),
		may("transcript", turns).private(),
		may("raw_extraction", anyObject).private(),
		may("custom_extraction", anyObject).private(),
		// Last, so that the writer finds it at the end of the row; see liveness.go.
		{name: "campaign_live"},
	},
}

// kindNamed is nil for a kind that there is not.
func kindNamed(name string) *kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	return nil
}

// column finds the column that a field is written to, or -1.
func (k *kind) column(field []byte) int {
	if len(field) == 0 {
		return -1
	}
	for i := range k.columns {
		if k.columns[i].field == string(field) {
			return i
		}
	}
	return -1
}

// fields are the names a record of this kind may hold, beside kind and op.
func (k *kind) fields() []string {
	var names []string
	for _, c := range k.columns {
		if c.field != "" {
			names = append(names, c.field)
		}
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

package render

import (
	"bytes"
	"encoding/json"

	"github.com/oapi-codegen/nullable"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/measurement"
)

// meta is what every response says of itself: its client, its count and the
// provenance of its numbers.
func meta(caller auth.Caller, count int, s measurement.Provenance) api.Meta {
	m := api.Meta{ClientID: caller.ClientID, Count: count, MeasurementMode: api.MeasurementMode(s.Mode)}
	if s.Mode != measurement.Canonical {
		return m
	}
	total, version, basis, omitted := int(s.Total), measurement.ContractVersion, measurement.CountBasis, s.OmittedFields()
	asOf := timestamp(s.AsOf)
	m.MeasurementTotalCount = &total
	m.MeasurementAsOf = &asOf
	m.MeasurementContractVersion = &version
	m.MeasurementCountBasis = &basis
	m.MeasurementOmittedFields = &omitted
	m.MeasurementBasis = basisOf(s)
	return m
}

func basisOf(s measurement.Provenance) *api.MeasurementQueryBasis {
	b := s.Basis
	if b == nil {
		return nil
	}
	return &api.MeasurementQueryBasis{
		Schema:                     api.MeasurementQueryBasisSchemaMeasurementQueryBasisV1,
		PreviewID:                  b.PreviewID,
		Captured:                   false,
		AsOf:                       timestamp(s.AsOf),
		MeasurementContractVersion: measurement.ContractVersion,
		ScopeHash:                  b.ScopeHash,
		MembershipHash:             b.MembershipHash,
		SourceInterviewIds:         b.SourceIDs,
		SourceCount:                b.SourceCount,
	}
}

// paged adds what a list route says of the next page; next is its cursor, if any.
func paged(m *api.Meta, next *string) {
	more := next != nil
	m.HasMore = &more
	m.NextCursor = nullable.NewNullNullable[string]()
	if more {
		m.NextCursor = nullable.NewNullableWithValue(*next)
	}
}

// appendMeta appends a response's meta. The ids of its basis, which can be most of
// the answer, are appended as they are: marshalling would parse them again.
func appendMeta(b []byte, m api.Meta) ([]byte, error) {
	if m.MeasurementBasis == nil {
		text, err := json.Marshal(m)
		return append(b, text...), err
	}
	basis := *m.MeasurementBasis
	ids := basis.SourceInterviewIds
	basis.SourceInterviewIds = noIDs
	m.MeasurementBasis = &basis
	text, err := json.Marshal(m)
	if err != nil {
		return b, err
	}
	before, after, _ := bytes.Cut(text, idsField)
	b = append(append(b, before...), idsField[:len(idsField)-len(noIDs)]...)
	return append(append(b, ids...), after...), nil
}

var (
	noIDs    = []byte("[]")
	idsField = []byte(`"source_interview_ids":[]`)
)

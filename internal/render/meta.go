package render

import (
	"bytes"
	"encoding/json"

	"github.com/oapi-codegen/nullable"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/access"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/page"
)

// meta is what every response says of itself: whose it is, how many it holds
// and what its numbers stand on.
func meta(caller access.Caller, count int, s measurement.Statement) api.Meta {
	m := api.Meta{ClientID: caller.ClientID, Count: count, MeasurementMode: api.MeasurementMode(s.Mode)}
	if s.Mode != measurement.Canonical {
		return m
	}
	total, version, basis, omitted := int(s.Total), measurement.ContractVersion, measurement.CountBasis, s.OmittedFields()
	m.MeasurementTotalCount = &total
	m.MeasurementAsOf = &s.AsOf
	m.MeasurementContractVersion = &version
	m.MeasurementCountBasis = &basis
	m.MeasurementOmittedFields = &omitted
	m.MeasurementBasis = basisOf(s)
	return m
}

func basisOf(s measurement.Statement) *api.MeasurementQueryBasis {
	b := s.Basis
	if b == nil {
		return nil
	}
	return &api.MeasurementQueryBasis{
		Schema:                     api.MeasurementQueryBasisSchemaMeasurementQueryBasisV1,
		PreviewID:                  b.PreviewID,
		Captured:                   api.MeasurementQueryBasisCapturedFalse,
		AsOf:                       s.AsOf,
		MeasurementContractVersion: measurement.ContractVersion,
		ScopeHash:                  b.ScopeHash,
		MembershipHash:             b.MembershipHash,
		SourceInterviewIds:         b.SourceIDs,
		SourceCount:                b.SourceCount,
	}
}

// paged adds what a list route says of the walk.
func paged(m *api.Meta, position *page.Position, next Next) {
	more := position != nil
	m.HasMore = &more
	m.NextCursor = nullable.NewNullNullable[string]()
	if more {
		m.NextCursor = nullable.NewNullableWithValue(next(*position))
	}
}

// appendMeta appends what a response says of itself. The ids of its basis, most
// of many an answer, are put in as they are: marshalling would read them again.
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

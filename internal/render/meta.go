package render

import (
	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/measurement"
)

// meta is what every response says of itself: its client, its count and the
// provenance of its numbers.
func meta(caller auth.Caller, count int, s measurement.Provenance) api.Meta {
	m := api.Meta{ClientID: caller.ClientID, Count: count, MeasurementMode: api.MeasurementMode(s.Mode)}
	if s.Mode != measurement.Canonical {
		return m
	}
	asOf := basis.Timestamp(s.AsOf)
	m.MeasurementTotalCount = new(int(s.Total))
	m.MeasurementAsOf = &asOf
	m.MeasurementContractVersion = new(measurement.ContractVersion)
	m.MeasurementCountBasis = new(measurement.CountBasis)
	if s.Basis == nil {
		m.MeasurementOmittedFields = &[]string{"measurement_basis"}
		return m
	}
	m.MeasurementOmittedFields = &[]string{}
	m.MeasurementBasis = &api.MeasurementQueryBasis{
		Schema:                     api.MeasurementQueryBasisSchemaMeasurementQueryBasisV1,
		PreviewID:                  s.Basis.PreviewID,
		Captured:                   false,
		AsOf:                       asOf,
		MeasurementContractVersion: measurement.ContractVersion,
		ScopeHash:                  s.Basis.ScopeHash,
		MembershipHash:             s.Basis.MembershipHash,
		SourceInterviewIds:         s.Basis.SourceIDs,
		SourceCount:                s.Basis.SourceCount,
	}
	return m
}

// appendMeta appends a response's meta. The ids of its basis, which can be most of
// the response, are appended as they are: marshalling would parse them again.
func appendMeta(b []byte, m api.Meta) ([]byte, error) {
	if m.MeasurementBasis == nil {
		return appendWith(b, m)
	}
	short := *m.MeasurementBasis
	ids := stored{"source_interview_ids", short.SourceInterviewIds}
	short.SourceInterviewIds = nil // written as null
	m.MeasurementBasis = &short
	return appendWith(b, m, ids)
}

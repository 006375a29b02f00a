package render

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/synthesis"
)

// appendBody appends a frozen body as it was published, with measurement_integrity
// as its last field. Decoding and encoding it again would round its numbers and
// lose the order of its fields.
func appendBody(b []byte, body synthesis.Body) ([]byte, error) {
	if body.Integrity == nil {
		return append(b, body.JSON...), nil
	}
	integrity, err := json.Marshal(integrityOf(*body.Integrity))
	if err != nil {
		return b, err
	}
	return appendWithField(b, body.JSON, "measurement_integrity", integrity)
}

// appendWithField appends a JSON object with a field that it does not have.
func appendWithField(out, object []byte, name string, value []byte) ([]byte, error) {
	open, ended := bytes.CutSuffix(bytes.TrimSpace(object), []byte{'}'})
	if !ended || !bytes.HasPrefix(open, []byte{'{'}) {
		return out, fmt.Errorf("a body of %d bytes is no JSON object", len(object))
	}
	out = append(out, open...)
	if len(bytes.TrimSpace(open)) > len(`{`) {
		out = append(out, ',')
	}
	out = append(append(append(out, '"'), name...), `":`...)
	return append(append(out, value...), '}'), nil
}

func integrityOf(i synthesis.Integrity) api.MeasurementIntegrity {
	saved := i.Saved
	if saved == nil {
		return api.MeasurementIntegrity{Status: api.MeasurementIntegrityStatusHistoricalUnverifiable}
	}
	integrity := api.MeasurementIntegrity{
		Status: api.MeasurementIntegrityStatusVerifiedSavedBasis,
		Freshness: &api.MeasurementFreshness{
			Status:               api.MeasurementFreshnessStatusComparable,
			SavedAsOf:            basis.Timestamp(saved.AsOf),
			LiveAsOf:             basis.Timestamp(saved.LiveAsOf),
			SavedContractVersion: saved.ContractVersion,
			LiveContractVersion:  saved.LiveContractVersion,
		},
	}
	if saved.Incomparable != "" {
		integrity.Freshness.Status = api.MeasurementFreshnessStatusIncomparable
		integrity.Freshness.Reason = new(api.MeasurementFreshnessReason(saved.Incomparable))
	}
	integrity.MeasurementBasis = &api.SavedMeasurementBasis{
		Schema:                     api.SavedMeasurementBasisSchemaMeasurementBasisV2,
		SnapshotID:                 saved.SnapshotID,
		AsOf:                       basis.Timestamp(saved.AsOf),
		MeasurementContractVersion: saved.ContractVersion,
		ScopeHash:                  saved.ScopeHash,
		MembershipHash:             saved.MembershipHash,
		SourceInterviewIds:         saved.SourceIDs,
		SourceCount:                len(saved.SourceIDs),
	}
	return integrity
}

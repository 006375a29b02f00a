package render

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/oapi-codegen/nullable"

	"github.com/clientintel/clientintel/gen/api"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/interview"
	"github.com/clientintel/clientintel/internal/measurement"
	"github.com/clientintel/clientintel/internal/test/require"
)

// What is appended by hand is, to the byte, what the generated types marshal to:
// for every set of scopes, nulls and texts of every kind.
func TestInterviews_AreWhatTheGeneratedTypesGive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	gatedScopes := []auth.Scope{
		auth.ReadTranscripts, auth.ReadCustomerIdentity, auth.ReadRawExtraction, auth.ReadCustomExtraction,
	}
	for round := range 400 {
		caller := auth.Caller{ClientID: uuid.New()}
		for i, scope := range gatedScopes {
			if round>>i&1 == 1 {
				caller.Scopes = append(caller.Scopes, scope)
			}
		}
		rows := make([]interview.Interview, random.IntN(4))
		for i := range rows {
			rows[i] = anyInterview(random)
		}
		var next *string
		if random.IntN(2) == 0 {
			next = new("after-" + uuid.NewString())
		}
		found := interview.List{Interviews: rows, Measurement: anyStatement(random)}
		want := api.InterviewListResponse{Data: []api.Interview{}, Meta: meta(caller, len(rows), found.Measurement)}
		want.Meta.IncludesCustomerIdentity = caller.Has(auth.ReadCustomerIdentity)
		want.Meta.IncludesTranscripts = caller.Has(auth.ReadTranscripts)
		want.Meta.IncludesCustomExtraction = caller.Has(auth.ReadCustomExtraction)
		paged(&want.Meta, next)
		for i := range rows {
			want.Data = append(want.Data, generated(rows[i], caller))
		}
		body, err := InterviewList(found, next, caller)
		wantSame(t, body, err, want)
	}
}

// listOf renders one interview as a whole page.
func listOf(t *testing.T, i interview.Interview, scopes []auth.Scope) []byte {
	t.Helper()
	found := interview.List{Interviews: []interview.Interview{i}, Measurement: measurement.Provenance{Mode: measurement.Legacy}}
	body, err := InterviewList(found, nil, auth.Caller{Scopes: scopes})
	require.NoError(t, err)
	return body
}

// A detail has what a list has of the same interview, and the raw extraction.
func TestInterviewDetail_HasTheListsFields(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, scopes := range [][]auth.Scope{nil, {auth.ReadTranscripts}, {auth.ReadRawExtraction}, auth.All()} {
		caller := auth.Caller{ClientID: uuid.New(), Scopes: scopes}
		for range 50 {
			listed := anyInterview(random)
			want := api.InterviewDetail{Interview: generated(listed, caller)}
			one := detailOf(listed)
			switch {
			case caller.Has(auth.ReadRawExtraction) && random.IntN(2) == 0:
				one.RawExtraction = json.RawMessage(`{"raw":1}`)
				want.Interview.RawExtraction = one.RawExtraction
			case caller.Has(auth.ReadRawExtraction):
				want.Interview.RawExtraction = json.RawMessage("null")
			default:
				one.RawExtraction = json.RawMessage(`{"raw":1}`)
			}
			body, err := InterviewDetail(one, anyStatement(random), caller)
			require.NoError(t, err)
			var got struct {
				Data json.RawMessage
				Meta api.Meta
			}
			require.NoError(t, json.Unmarshal(body, &got))
			wantSame(t, append(got.Data, '\n'), nil, want)
			if m := got.Meta; m.IncludesTranscripts != caller.Has(auth.ReadTranscripts) || m.IncludesRawExtraction != caller.Has(auth.ReadRawExtraction) ||
				m.IncludesCustomerIdentity != caller.Has(auth.ReadCustomerIdentity) || m.IncludesCustomExtraction != caller.Has(auth.ReadCustomExtraction) {
				t.Fatalf("with %v meta is %+v", scopes, m)
			}
		}
	}
}

// Stored JSON goes out as it came in, whatever its spaces: the same value.
func TestInterviews_StoredJSONGoesOutAsItIs(t *testing.T) {
	stored := []byte(`{"a": [1, 2.50, "<b>", "é "], "big": 12345678901234567890123}`)
	body := listOf(t, interview.Interview{Status: "completed", CustomExtraction: stored}, auth.All())
	if !bytes.Contains(body, stored) || !json.Valid(body) {
		t.Errorf("%s does not hold %s", body, stored)
	}
}

// Every field of the contract's interview is written: a new one in the contract
// fails here until the appender knows it.
func TestInterviews_WriteEveryField(t *testing.T) {
	body := listOf(t, interview.Interview{}, auth.All())
	of := reflect.TypeFor[api.Interview]()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if onDetailOnly := name == "raw_extraction"; bytes.Contains(body, []byte(`"`+name+`":`)) == onDetailOnly {
			t.Errorf("%s is written: %v", name, onDetailOnly)
		}
	}
}

func wantSame(t *testing.T, got []byte, err error, want any) {
	t.Helper()
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, json.NewEncoder(&text).Encode(want))
	if !bytes.Equal(got, text.Bytes()) {
		t.Fatalf("appended:\n%s\ngenerated:\n%s", got, text.Bytes())
	}
}

// generated is the interview as the contract's types hold it, field by field.
func generated(i interview.Interview, caller auth.Caller) api.Interview {
	scopes := map[string]auth.Scope{
		"ParticipantEmail": auth.ReadCustomerIdentity, "Transcript": auth.ReadTranscripts,
		"CustomExtraction": auth.ReadCustomExtraction, "RawExtraction": auth.ReadRawExtraction,
	}
	otherNames := map[string]string{"ConversationGoalID": "CampaignID", "NpsScore": "NPSScore"}
	var out api.Interview
	from, to := reflect.ValueOf(detailOf(i)), reflect.ValueOf(&out).Elem()
	for n := range to.NumField() {
		name := to.Type().Field(n).Name
		value := from.FieldByName(cmp.Or(otherNames[name], name))
		switch scope, gated := scopes[name]; {
		case name == "CreatedAt":
			out.CreatedAt = basis.Timestamp(i.CreatedAt)
		case !gated:
			to.Field(n).Set(value)
		case !caller.Has(scope) || name == "RawExtraction":
		case value.IsNil():
			to.Field(n).SetBytes([]byte("null"))
		default:
			to.Field(n).Set(value)
		}
	}
	return out
}

// detailOf is a list's interview as a detail has it, field by field.
func detailOf(i interview.Interview) interview.Detail {
	var out interview.Detail
	from, to := reflect.ValueOf(i), reflect.ValueOf(&out).Elem()
	for n := range from.NumField() {
		to.FieldByName(from.Type().Field(n).Name).Set(from.Field(n))
	}
	return out
}

func anyInterview(random *rand.Rand) interview.Interview {
	number := func() *float64 {
		picks := []float64{
			0, -1, 9.5, 1e21, 1e20, 1e-7, 5e-324, -2.5e-9, 1.5e300, math.MaxFloat64, random.NormFloat64(),
			math.Copysign(0, -1), float64(random.Int64()),
		}
		if random.IntN(5) == 0 {
			return nil
		}
		return &picks[random.IntN(len(picks))]
	}
	stored := func() []byte {
		if random.IntN(4) == 0 {
			return nil
		}
		return fmt.Appendf(nil, `{"n":%d,"t":["x","é"],"o":{}}`, random.IntN(100))
	}
	i := interview.Interview{
		ID: anyID(random), ClientID: anyID(random),
		CreatedAt:       time.UnixMicro(random.Int64N(4e15) - 1e15).UTC().Truncate(time.Duration(1+random.IntN(1_000_000)) * time.Microsecond),
		DurationSeconds: number(), NPSScore: number(),
	}
	fields := reflect.ValueOf(&i).Elem()
	for n := range fields.NumField() {
		if text, ok := fields.Field(n).Addr().Interface().(**string); ok {
			*text = anyText(random)
		}
	}
	i.Status = "completed" + *cmp.Or(anyText(random), new(""))
	i.ParticipantEmail, i.Transcript, i.CustomExtraction = stored(), stored(), stored()
	if random.IntN(3) > 0 {
		i.CampaignID = new(anyID(random))
	}
	return i
}

func anyText(random *rand.Rand) *string {
	if random.IntN(5) == 0 {
		return nil
	}
	alphabet := []rune("ab \"\\/<>&'\b\f\n\r\t\x00\x01\x1f\x7féßΩ日本\u2027\u2028\u2029\u202a\ufffd\U0001F600")
	text := []byte{}
	for range random.IntN(12) {
		text = append(text, string(alphabet[random.IntN(len(alphabet))])...)
		if random.IntN(40) == 0 {
			text = append(text, "\xff\xe2\x80"...) // not UTF-8
		}
	}
	return new(string(text))
}

func anyID(random *rand.Rand) uuid.UUID {
	id := uuid.UUID{}
	for i := range id {
		id[i] = byte(random.Uint32())
	}
	return id
}

func anyStatement(random *rand.Rand) measurement.Provenance {
	s := measurement.Provenance{Mode: measurement.Legacy}
	if random.IntN(3) > 0 {
		s = measurement.Provenance{Mode: measurement.Canonical, AsOf: time.UnixMicro(random.Int64N(4e15)).UTC(), Total: random.Int64N(1e6)}
		if random.IntN(3) > 0 {
			ids := make([]uuid.UUID, random.IntN(4))
			for i := range ids {
				ids[i] = anyID(random)
			}
			text, _ := json.Marshal(ids)
			s.Basis = &measurement.Basis{
				PreviewID: uuid.New(), ScopeHash: "aa", MembershipHash: "bb", SourceCount: len(ids), SourceIDs: text,
			}
		}
	}
	return s
}

// paged is what a list's meta says of the next page.
func paged(m *api.Meta, next *string) {
	m.HasMore, m.NextCursor = new(next != nil), nullable.NewNullNullable[string]()
	if next != nil {
		m.NextCursor = nullable.NewNullableWithValue(*next)
	}
}

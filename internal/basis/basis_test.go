package basis_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/clientintel/clientintel/internal/basis"
	"github.com/clientintel/clientintel/internal/test/check"
)

const client = "6f1c2d34-8a4b-4c7e-9f10-2b7d5e8c9a01"

// A scope's hash is that of its RFC 8785 form: names in order, and only quotes,
// backslashes and control characters escaped.
func TestScope_HashIsThatOfTheCanonicalForm(t *testing.T) {
	t.Parallel()
	scope := basis.Scope{ClientID: uuid.MustParse(client), Route: "/intelligence/search", Filters: map[string]string{
		"q": "a\"\\\b\t\n\f\r\x01\x1f\x7f<&>é\u2028😀", "limit": "50",
	}}
	form := `{"client_id":"` + client + `","filters":{"limit":"50","q":"a\"\\\b\t\n\f\r\u0001\u001f` +
		"\x7f<&>é\u2028😀" + `"},"route":"/intelligence/search"}`
	check.Equal(t, scope.Hash(), basis.SHA256([]byte(form)), "the hash", form)
	if scope.Whole() || !(basis.Scope{Route: "/interviews"}).Whole() {
		t.Error("the interviews without filters, and no other scope, are the whole")
	}
}

func TestMembershipHash_IsThatOfAscendingLines(t *testing.T) {
	t.Parallel()
	ids := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	basis.SortIDs(ids)
	var lines []string
	for i, id := range ids {
		lines = append(lines, id.String())
		if i > 0 && lines[i-1] >= lines[i] {
			t.Errorf("%s comes before %s", lines[i-1], lines[i])
		}
		check.Equal(t, basis.MembershipHash(ids[:i+1]), basis.SHA256([]byte(strings.Join(lines, "\n"))), "ids", i+1)
	}
	if none := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"; basis.MembershipHash(nil) != none {
		t.Errorf("no ids: the hash is %s, want %s", basis.MembershipHash(nil), none)
	}
}

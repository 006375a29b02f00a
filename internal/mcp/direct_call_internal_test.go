package mcp

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/clientintel/clientintel/internal/httpapi"
)

// A body stands in a result compact, once as text and once as it is.
func TestAppendResult_HoldsTheBodyTwice(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{}`, `{"a":1}`, `{"a": [1, 2.50, null],` + "\n\t\r" + `"b": {"c": "d"} }`, `{"a":"\""}`, `{"a":"\\"}`, `{"a":"\\\""}`,
		`{"a":"\\\\", "b" : "\"\\\" , : "}`, `{"a":"\n\u00e9\ud83d\ude00 é 😀 <&>` + "\u2028" + `"}`, `{"":" a  b "}`, `{"a":"b\\"   ,"c":"\" "}`,
	} {
		for _, status := range []int{200, 400} {
			text := appendResult([]byte("{"), httpapi.CallResponse{Status: status, Body: []byte(body)})
			var made struct {
				Content           []struct{ Type, Text string }
				StructuredContent json.RawMessage
				IsError           bool
			}
			if err := json.Unmarshal(append(text, '}'), &made); err != nil {
				t.Fatalf("%s: %v: %s", body, err, text)
			}
			var want bytes.Buffer
			if err := json.Compact(&want, []byte(body)); err != nil {
				t.Fatal(err)
			}
			if len(made.Content) != 1 || made.Content[0].Type != "text" || made.Content[0].Text != want.String() {
				t.Errorf("the content of %s is %+v", body, made.Content)
			}
			structured := ""
			if status == 200 {
				structured = want.String()
			}
			if string(made.StructuredContent) != structured || made.IsError != (status != 200) {
				t.Errorf("%d %s: isError %v, structured content %s", status, body, made.IsError, made.StructuredContent)
			}
		}
	}
}

package importer

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

// allocated is how many bytes decoding a line takes: a count, whatever the machine.
func allocated(line string) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_ = parseOnly(line)
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// Of a line with sixteen times as much in a field, decoding takes sixteen times the
// memory at most, but for what growing in steps wastes.
func FuzzDecodingIsLinear(f *testing.F) {
	for _, piece := range []string{"x", "Я", `\\`, "\u0001", `"`, "e\u0301"} {
		f.Add(piece, false)
	}
	for _, piece := range []string{`1`, `1e399`, `[]`, `{}`, `{"id":"a","question":"b"}`, `{"text":"\ud83d\ude00"}`, `"a"`, `[[[[1]]]]`, `null`} {
		f.Add(piece, true)
	}
	f.Fuzz(func(t *testing.T, piece string, isJSON bool) {
		if piece == "" || len(piece) > 1000 || isJSON && !json.Valid([]byte(piece)) || !utf8.ValidString(piece) {
			return
		}
		lines := func(n int) []string {
			if isJSON {
				list := "[" + strings.TrimSuffix(strings.Repeat(piece+",", n), ",") + "]"
				return []string{
					interview(`,"transcript":` + list), interview(`,"custom_extraction":{"a":` + list + `}`),
					campaign(`,"slug":"x","key_questions":` + list), portal(`,"body":{"schema":"x","a":` + list + `}`),
				}
			}
			text, _ := json.Marshal(strings.Repeat(piece, n))
			return []string{interview(`,"best_quote":` + string(text)), interview(`,"raw_extraction":{` + string(text) + `:` + string(text) + `}`)}
		}
		const few, times, atOnce = 1000, 16, 1 << 20
		none, one, many := lines(0), lines(few), lines(few*times)
		for i := range one {
			nothing := allocated(none[i]) // what every line takes
			a, b := allocated(one[i])-nothing, allocated(many[i])-nothing
			// A line that is refused early takes little more than nothing, or less.
			if b > 4*times*max(a, int64(len(one[i])))+atOnce {
				t.Errorf("%d bytes for %d times %q, %d for %d times", a, few, piece, b, few*times)
			}
		}
	})
}

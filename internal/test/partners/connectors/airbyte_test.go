//go:build partners

package connectors_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// airbyte is a destination in small: it keeps what a sync emits as Airbyte's own
// do, by the mode of each stream.
type airbyte struct {
	program, dir string
	rows         tables
	state        map[string]json.RawMessage
	taken        map[string]int // rows of the latest sync
}

// sync runs the manifest once. A full one forgets what was, states included.
func (a *airbyte) sync(t *testing.T, full bool) {
	t.Helper()
	stream := func(name, mode, destination string, more map[string]any) map[string]any {
		configured := map[string]any{
			"stream":    map[string]any{"name": name, "json_schema": map[string]any{}, "supported_sync_modes": []string{"full_refresh", "incremental"}},
			"sync_mode": mode, "destination_sync_mode": destination, "primary_key": [][]string{{"id"}},
		}
		for field, value := range more {
			configured[field] = value
		}
		return configured
	}
	cursor := map[string]any{"cursor_field": []string{"updated_at"}}
	a.write(t, "catalog.json", map[string]any{"streams": []any{
		stream("campaigns", "incremental", "append_dedup", cursor),
		stream("synthesis", "incremental", "append_dedup", cursor),
		stream("interviews", "full_refresh", "overwrite", nil),
	}})
	if full {
		a.rows, a.state = tables{"campaigns": {}, "synthesis": {}}, map[string]json.RawMessage{}
	}
	a.rows["interviews"], a.taken = map[string][]any{}, map[string]int{}
	states := []json.RawMessage{}
	for _, state := range a.state {
		states = append(states, state)
	}
	a.write(t, "state.json", states)

	manifest, err := filepath.Abs(offered + "airbyte/manifest.yaml")
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), a.program, "read", "--config", "config.json", "--catalog", "catalog.json",
		"--state", "state.json", "--manifest-path", manifest)
	command.Dir = a.dir
	command.Env = append(os.Environ(), "HOME="+a.dir, "TZ=Pacific/Auckland", "PYTHONDONTWRITEBYTECODE=1")
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.Output()
	require.NoError(t, err, said.String(), output)
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		a.take(t, lines.Bytes())
	}
	require.NoError(t, lines.Err())
}

// take reads one of Airbyte's messages.
func (a *airbyte) take(t *testing.T, line []byte) {
	t.Helper()
	var message struct {
		Type   string
		Record struct {
			Stream string
			Data   map[string]any
		}
		State json.RawMessage
	}
	require.NoError(t, json.Unmarshal(line, &message), line)
	switch message.Type {
	case "RECORD":
		name := message.Record.Stream
		if _, there := message.Record.Data["participant_name"]; there {
			t.Fatalf("%s brings names", name)
		}
		var row []any
		for _, column := range columns[name] {
			row = append(row, sameMoment(message.Record.Data[column]))
		}
		id, _ := message.Record.Data["id"].(string)
		a.rows[name][id] = row
		a.taken[name]++
	case "STATE":
		var named struct {
			Stream struct {
				Descriptor struct{ Name string } `json:"stream_descriptor"`
			}
		}
		require.NoError(t, json.Unmarshal(message.State, &named))
		if name := named.Stream.Descriptor.Name; name != "interviews" { // a full refresh begins anew
			a.state[name] = message.State
		}
	}
}

func (a *airbyte) write(t *testing.T, file string, content any) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(a.dir, file), []byte(encode(t, content)), 0o600))
}

// Airbyte's first sync loads everything, its second what changed, and one after
// a reset what changes unseen.
func TestAirbyte(t *testing.T) {
	srv, seed := partnerserver.Start(t, requests, window)
	a := &airbyte{program: filepath.Join(partnerserver.Python(t, "airbyte/requirements.txt"), "source-declarative-manifest"), dir: t.TempDir()}
	document := prepare(t, seed)
	a.write(t, "config.json", map[string]any{"url": srv.URL, "key": srv.KeyFor(t, brand, auth.Default()...), "page_size": 40})

	a.sync(t, true)
	wantSame(t, "after the first sync", a.rows, held(t, seed))
	if waited(srv) == 0 {
		t.Error("the first sync was never refused for its quota: nothing was shown")
	}
	change(t, seed)
	a.sync(t, false)
	wantSame(t, "after the changes", a.rows, held(t, seed))
	if all := len(a.rows["synthesis"]); a.taken["synthesis"] == 0 || a.taken["synthesis"] >= all {
		t.Errorf("the second sync brought %d of %d documents, not what changed", a.taken["synthesis"], all)
	}
	unpublish(t, seed, document)
	a.sync(t, true)
	wantSame(t, "after a reset", a.rows, held(t, seed))
}

func encode(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

package clientintel_test

import (
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"testing"
)

// Where the examples read: a server with twelve interviews of the client globex.
var baseURL, key, narrowKey string

// The server is a program of the repository, so that this module needs nothing of it.
func TestMain(m *testing.M) {
	server := exec.Command("go", "run", "./internal/test/clientserver")
	server.Dir, server.Stderr = "../../..", os.Stderr
	running, err := server.StdinPipe()
	if err != nil {
		log.Fatal(err)
	}
	printed, err := server.StdoutPipe()
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Start(); err != nil {
		log.Fatal(err)
	}
	var at struct{ URL, Key, Narrow string }
	if err := json.NewDecoder(printed).Decode(&at); err != nil {
		log.Fatal("the server of the repository does not start: ", err)
	}
	baseURL, key, narrowKey = at.URL, at.Key, at.Narrow
	code := m.Run()
	_ = running.Close()
	if err := server.Wait(); err != nil {
		log.Fatal(err)
	}
	os.Exit(code)
}

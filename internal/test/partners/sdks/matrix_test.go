//go:build partners && clientintel_testing

package sdks_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/clientintel/clientintel/internal/apikey"
	"github.com/clientintel/clientintel/internal/auth"
	"github.com/clientintel/clientintel/internal/test/apitest"
	"github.com/clientintel/clientintel/internal/test/partners/partnerserver"
	"github.com/clientintel/clientintel/internal/test/require"
)

// cell is a client that a generator makes, and the program that reads with it.
type cell struct {
	generator string // of openapi-generator; empty: run makes the client, too
	options   []string
	// openAPI30 is set if the client is made from the contract's 3.0 form.
	openAPI30 bool
	program   string // in the folder matrix, copied beside what was made
	run       [][]string
	// wrong are the answers that this client decodes otherwise than they were sent.
	// docs/clients.md gives the reasons.
	wrong []string
}

var cells = map[string]cell{
	"python": {
		generator: "python", program: "python.py",
		run: [][]string{{"PYTHON", "-W", "error::SyntaxWarning", "python.py"}},
	},
	"swagger-codegen": {
		program: "swagger.py",
		run: [][]string{
			{"sh", "-c", "mvn --batch-mode --quiet --strict-checksums org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy " +
				"-Dartifact=io.swagger.codegen.v3:swagger-codegen-cli:3.0.61 -DoutputDirectory=jar && " +
				"java -jar jar/*.jar generate -i $CONTRACT -l python -o ."},
			{"PYTHON", "swagger.py"},
		},
	},
	"typescript-fetch": {
		generator: "typescript-fetch", options: []string{"--additional-properties=importFileExtension=.ts"}, program: "typescript.mts",
		run: [][]string{{"NODE", "--experimental-transform-types", "--no-warnings", "typescript.mts"}},
	},
	"go": {
		generator: "go", options: []string{"--additional-properties=packageName=openapi,isGoSubmodule=true"}, program: "go.txt",
		run: [][]string{{"sh", "-c", "mkdir tour && mv go.txt tour/main.go && cp $MATRIX/go/go.* . && go run ./tour"}},
	},
	// The published client stands on it, and its module is what partners take.
	"oapi-codegen": {
		program: "oapi-codegen.txt",
		run: [][]string{{"sh", "-c", "mv oapi-codegen.txt main.go && cp $CLIENT/go.* . && " +
			"go mod edit -module made -require github.com/clientintel/clientintel/openapi/clients/go@v0.0.0 " +
			"-replace github.com/clientintel/clientintel/openapi/clients/go=$CLIENT && go run ."}},
	},
	"ogen": {
		program: "ogen.txt",
		run: [][]string{{"sh", "-c", "mv ogen.txt main.go && cp $MATRIX/ogen/go.* . && " +
			"go tool ogen --target openapi --package openapi $CONTRACT && go run ."}},
		wrong: []string{"canonical portal", "legacy portal"},
	},
	"java": {
		generator: "java", options: []string{"--additional-properties=containerDefaultToNull=true"}, program: "src/main/java/tour/Tour.java",
		run: [][]string{{"mvn", "--batch-mode", "--quiet", "--strict-checksums", "-Dexec.mainClass=tour.Tour",
			"org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile", "org.codehaus.mojo:exec-maven-plugin:3.6.2:java"}},
	},
	// The same with Jackson in place of Gson.
	"java-jackson": {
		generator: "java",
		options:   []string{"--library=native", "--additional-properties=containerDefaultToNull=true", "--schema-mappings=SynthesisItem=Object"},
		program:   "src/main/java/tour/Jackson.java",
		run: [][]string{{"mvn", "--batch-mode", "--quiet", "--strict-checksums", "-Dexec.mainClass=tour.Jackson",
			"org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile", "org.codehaus.mojo:exec-maven-plugin:3.6.2:java"}},
	},
	// The generator's builds of these two are for Gradle and sbt, which Maven Central has not.
	"kotlin": {
		generator: "kotlin", options: []string{"--additional-properties=serializationLibrary=jackson"}, openAPI30: true,
		program: "src/main/kotlin/tour/Tour.kt",
		run: [][]string{{"sh", "-c", "cp $MATRIX/pom.xml . && mvn --batch-mode --quiet --strict-checksums -Dkotlin.compiler.daemon=false -Dexec.mainClass=tour.TourKt " +
			"org.jetbrains.kotlin:kotlin-maven-plugin:2.4.0:compile org.codehaus.mojo:exec-maven-plugin:3.6.2:java"}},
	},
	"scala": {
		generator: "scala-sttp", options: []string{"--additional-properties=modelPropertyNaming=original", "--type-mappings=UUID=String"}, openAPI30: true,
		program: "src/main/scala/tour/Tour.scala",
		run: [][]string{{"sh", "-c", "cp $MATRIX/scala/pom.xml . && mvn --batch-mode --quiet --strict-checksums -Dexec.mainClass=tour.Tour " +
			"net.alchim31.maven:scala-maven-plugin:4.9.5:compile org.codehaus.mojo:exec-maven-plugin:3.6.2:java"}},
	},
	"php": {
		generator: "php", program: "php.php", run: [][]string{{"php", "-d", "error_reporting=E_ALL & ~E_DEPRECATED", "php.php"}},
		wrong: []string{"canonical portal", "legacy portal"},
	},
	"ruby": {
		generator: "ruby", program: "ruby.rb", run: [][]string{{"ruby", "-Ilib", "ruby.rb"}},
		wrong: []string{"canonical portal", "legacy portal"},
	},
	"rust": {
		// Its Cargo.lock names the version, which would otherwise be the contract's.
		generator: "rust", options: []string{"--additional-properties=packageVersion=1.0.0"}, program: "src/main.rs",
		run:   [][]string{{"sh", "-c", "printf 'tokio = { version = \"1\", features = [\"macros\", \"rt\"] }\\n' | sed -i '/^\\[dependencies\\]/r /dev/stdin' Cargo.toml && cp $MATRIX/Cargo.lock . && cargo run --locked --quiet"}},
		wrong: []string{"canonical portal", "legacy portal"},
	},
}

// Each client reads every list in both modes of measurement, both kinds of
// synthesis, and an error of every status, and prints what it decoded. It must be
// what the service sent.
func TestMatrix(t *testing.T) {
	s := startMatrix(t)
	jar := generatorJar(t, s.env)
	for name, c := range cells {
		t.Run(name, func(t *testing.T) {
			r, folder := tour{env: s.env}, t.TempDir()
			if c.generator != "" {
				r.generate(t, jar, s.document(c.openAPI30), folder, c.generator, c.options...)
			}
			copied(t, "matrix", folder, c.program)
			var printed string
			for _, command := range c.run {
				printed, _ = r.run(t, folder, s.tool(t, command[0]), command[1:]...)
			}
			jarsAreLocked(t)
			s.compare(t, printed, c.wrong)
		})
	}
	// Nothing compiles it: it is parsed.
	t.Run("csharp", func(t *testing.T) {
		r, folder := tour{env: s.env}, t.TempDir()
		r.generate(t, jar, s.document(false), folder, "csharp")
		r.run(t, folder, s.tool(t, "PYTHON"), absolute(t, "matrix/csharp.py"))
	})
}

// generate makes a client with openapi-generator, whose warnings are explained.
func (r tour) generate(t *testing.T, jar, contract, folder, generator string, options ...string) {
	t.Helper()
	_, said := r.run(t, folder, "java", append([]string{"-jar", jar, "generate", "--input-spec", contract, "--output", folder,
		"--generator-name", generator, "--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"},
		options...)...)
	var warnings strings.Builder
	for line := range strings.Lines(said) {
		// What a language reserves or writes otherwise gets another name there: no
		// fault of the contract, whose names the specification gives.
		if strings.Contains(line, " cannot be used as ") && strings.Contains(line, " Renamed to ") {
			continue
		}
		if strings.Contains(line, " WARN ") || strings.Contains(line, " ERROR ") {
			warnings.WriteString(line)
		}
	}
	explanations := "matrix"
	if filepath.Base(contract) == "openapi-3.0.json" {
		explanations = "matrix/openapi30"
	}
	explained(t, explanations, warnings.String())
}

// matrixServer is a server with an answer of every status, and what it sends.
type matrixServer struct {
	contracts string // a folder with the contract in both forms
	env       []string
	want      map[string][]any
}

func (s *matrixServer) document(openAPI30 bool) string {
	if openAPI30 {
		return filepath.Join(s.contracts, "openapi-3.0.json")
	}
	return filepath.Join(s.contracts, "openapi.json")
}

// steps are what every program asks for, by the name that it prints.
var steps = []struct{ name, path string }{
	{"interviews", "/interviews?limit=2"}, {"interview", "/interviews/ID"}, {"campaigns", "/campaigns?limit=2"},
	{"synthesis", "/synthesis?limit=2"}, {"portal", "/synthesis?limit=2&surface=portal"},
	{"analytics", "/analytics/interviews?date_from=2026-03-01&date_to=2026-03-31"}, {"search", "/intelligence/search?q=late"},
}

func startMatrix(t *testing.T) *matrixServer {
	t.Helper()
	srv, seed := apitest.Start(t)
	s := &matrixServer{want: map[string][]any{}}
	keys := map[string]string{}
	for mode, client := range map[string]string{"legacy": "acme", "canonical": "globex"} {
		for i := range 5 {
			campaign := seed.Campaign(t, client, apitest.Fields{"slug": fmt.Sprintf("%s-%d", client, i)})
			seed.Interview(t, client, apitest.Fields{
				"created_at": apitest.At(fmt.Sprintf("2026-03-%02d", i+1)), "campaign_id": campaign, "nps_score": []any{9, 8.5, nil, 10, 0}[i],
				"custom_extraction": json.RawMessage(`{"best_quote": "too late", "score": 1.50, "list": [null, true]}`),
			})
			seed.SynthesisDocument(t, client, nil)
			seed.PortalDocument(t, client, nil)
		}
		keys[mode] = srv.Issue(t, apikey.Request{Client: client, Name: mode, Scopes: auth.All()}).Key
		s.record(t, srv, mode, keys[mode])
	}
	full := srv.Issue(t, apikey.Request{Client: "globex", Name: "spent", Scopes: auth.All()}).Key
	t.Setenv("CLIENTINTEL_TESTING_MAX_REQUESTS", "1")
	limited := *srv
	limited.URL = srv.StartAnother(t)
	limited.Get(t, partnerserver.Base+"/interviews", full).WantStatus(t, http.StatusOK)

	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, code := http.StatusInternalServerError, "internal_error"
		if strings.HasSuffix(r.URL.Path, "/campaigns") {
			status, code = http.StatusServiceUnavailable, "measurement_unavailable"
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "a request") // ogen refuses an answer without a required header
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"error": %q, "code": %q}`, strings.ReplaceAll(code, "_", " "), code)
	}))
	t.Cleanup(stub.Close)
	for status, code := range map[int]string{
		400: "invalid_parameter", 401: "invalid_api_key", 403: "insufficient_scope", 404: "not_found", 429: "rate_limited",
		500: "internal_error", 503: "measurement_unavailable",
	} {
		s.want[fmt.Sprintf("error %d", status)] = []any{code}
	}
	s.contracts = t.TempDir()
	for openAPI30, path := range map[bool]string{false: partnerserver.Base + "/openapi.json", true: "/docs/openapi-3.0.json"} {
		require.NoError(t, os.WriteFile(s.document(openAPI30), srv.Get(t, path, "").Body, 0o600))
	}
	s.env = append(os.Environ(), "MAVEN_OPTS="+os.Getenv("MAVEN_OPTS")+" -Dmaven.repo.local="+absolute(t, "matrix/.m2"),
		"CLIENT="+absolute(t, "../../../../openapi/clients/go"), "MATRIX="+absolute(t, "matrix"), "CONTRACT="+s.document(false), "BASE="+srv.URL, "LIMITED="+limited.URL, "STUB="+stub.URL, "CANONICAL="+keys["canonical"],
		"LEGACY="+keys["legacy"], "NARROW="+srv.KeyFor(t, "globex", auth.ReadCampaigns), "SPENT="+full)
	return s
}

// record reads what the service sends, without any client.
func (s *matrixServer) record(t *testing.T, srv *apitest.Server, mode, key string) {
	t.Helper()
	id := ""
	for _, step := range steps {
		path := strings.ReplaceAll(step.path, "ID", id)
		for cursor := ""; ; {
			var answer map[string]any
			srv.Get(t, partnerserver.Base+path+cursor, key).WantStatus(t, http.StatusOK).Decode(t, &answer)
			s.want[mode+" "+step.name] = append(s.want[mode+" "+step.name], comparable(answer))
			meta := answer["meta"].(map[string]any)
			if step.name == "interviews" && id == "" {
				id = answer["data"].([]any)[0].(map[string]any)["id"].(string)
			}
			if meta["has_more"] != true {
				break
			}
			cursor = "&starting_after=" + meta["next_cursor"].(string)
		}
	}
}

// comparable drops nulls, which not every language tells from what is left out,
// and what differs from one moment to the next, and spells times alike.
func comparable(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for name, item := range value {
			switch {
			case item == nil, name == "measurement_as_of", name == "as_of", name == "live_as_of", name == "preview_id":
			default:
				kept[name] = comparable(item)
			}
		}
		return kept
	case []any:
		for i := range value {
			value[i] = comparable(value[i])
		}
		return value
	case string:
		if at, err := time.Parse(time.RFC3339Nano, value); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return value
}

// compare holds the lines that a program printed, each a step's name, a tab and
// what was decoded, against what was sent.
func (s *matrixServer) compare(t *testing.T, printed string, wrong []string) {
	t.Helper()
	got := map[string][]any{}
	printed = regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(printed, "") // of Maven
	for line := range strings.Lines(printed) {
		name, text, found := strings.Cut(strings.TrimSpace(line), "\t")
		if !found {
			continue
		}
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value), line)
		got[name] = append(got[name], comparable(value))
	}
	known := map[string]bool{}
	for _, name := range wrong {
		known[name] = true
	}
	for name, want := range s.want {
		same := reflect.DeepEqual(got[name], want)
		switch {
		case same && known[name]:
			t.Errorf("%s is right now: take it off the list, here and in docs/clients.md", name)
		case !same && !known[name]:
			gotText, _ := json.Marshal(got[name])
			wantText, _ := json.Marshal(want)
			t.Errorf("%s\n got %.3000s\nwant %.3000s", name, gotText, wantText)
		}
	}
}

// tool is a program of this machine or of an environment that is made for it.
func (s *matrixServer) tool(t *testing.T, name string) string {
	t.Helper()
	switch name {
	case "PYTHON":
		return filepath.Join(partnerserver.Python(t, "matrix/requirements.txt"), "python")
	case "NODE":
		return typescript.Node(t)
	}
	return name
}

// generatorJar is openapi-generator, as Maven keeps it.
func generatorJar(t *testing.T, env []string) string {
	t.Helper()
	folder := t.TempDir()
	tour{env: env}.run(t, folder, "mvn", "--batch-mode", "--quiet", "--strict-checksums", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy",
		"-Dartifact=org.openapitools:openapi-generator-cli:7.25.0", "-DoutputDirectory="+folder)
	jarsAreLocked(t)
	return filepath.Join(folder, "openapi-generator-cli-7.25.0.jar")
}

// jarsAreLocked compares the jars that Maven brought with their hashes. Maven has no
// lockfile: its plugins have run by then, and what it made is not used where one differs.
func jarsAreLocked(t *testing.T) {
	t.Helper()
	lines, err := os.ReadFile("matrix/jars.sha256")
	require.NoError(t, err)
	locked := map[string]bool{}
	for line := range strings.Lines(string(lines)) {
		locked[line] = true
	}
	jars := os.DirFS("matrix/.m2")
	var unlocked strings.Builder
	err = fs.WalkDir(jars, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".jar") {
			return err
		}
		jar, err := fs.ReadFile(jars, path)
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(jar), path); !locked[line] {
			unlocked.WriteString(line)
		}
		return err
	})
	require.NoError(t, err)
	if unlocked.Len() > 0 {
		t.Fatalf("matrix/jars.sha256 lacks (delete matrix/.m2 first if older versions are left there):\n%s", unlocked.String())
	}
}

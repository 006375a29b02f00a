package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/clientintel/clientintel/internal/config"
)

const settingsPage = "docs/settings.md"

// The page's text; ' stands for the quote of code, which a raw string cannot hold.
const (
	settingsHead = `# Settings

Environment variables; a flag of the same meaning overrides the variable. A wrong value ends 'serve', 'demo' and 'config' with exit
code 2, and all wrong values are reported together, except that a flag whose number or duration cannot be read is reported alone.
'clientintel config' prints what is in force and where it comes from. A 'CLIENTINTEL_…' variable that is not in this table is a warning
there and in the log of 'serve', and with 'clientintel config --strict' exit code 2.

Generated from 'internal/config' by 'make generate'.

| variable | flag | default | meaning |
| --- | --- | --- | --- |
`
	settingsFoot = `
Tracing reads the standard variables 'OTEL_…' ([operations.md](operations.md#trace)): 'OTEL_EXPORTER_OTLP_ENDPOINT' or
'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' switches it on, 'OTEL_SDK_DISABLED=true' or 'OTEL_TRACES_EXPORTER=none' off;
'OTEL_EXPORTER_OTLP_PROTOCOL' and 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL' must be 'http/protobuf' if set. 'GOMAXPROCS', 'GOGC' and
'GOMEMLIMIT' are described in [deployment.md](deployment.md#processors-and-memory).
`
)

// writeSettingsPage lists every setting from the tags of its field.
func writeSettingsPage() error {
	fmt.Println("writing " + settingsPage)
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(settingsHead, "'", "`"))
	for _, f := range config.Fields(&config.Settings{}) {
		flag, preset := "", "none"
		if f.Flag != "" {
			flag = "`--" + f.Flag + "`"
		}
		if f.Default != "" {
			preset = f.Default
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Variable, flag, preset, f.Meaning)
	}
	b.WriteString(strings.ReplaceAll(settingsFoot, "'", "`"))
	return os.WriteFile(settingsPage, []byte(b.String()), 0o644)
}

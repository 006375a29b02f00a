package mcp

import (
	_ "embed" // the texts

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.yaml.in/yaml/v3"
)

// tool is one tool and the operation it calls; see tools.yaml.
type tool struct {
	Name, Operation, Title, Use, Absent, Narrower string
	Flags                                         []string
	declaration                                   *sdk.Tool
	parameters                                    map[string]parameter
}

// texts are what agents read of the tools.
type texts struct {
	EveryTool string `yaml:"every_tool"`
	EveryMeta string `yaml:"every_meta"`
	Flags     map[string]string
	Tools     []tool
}

//go:embed tools.yaml
var textsYAML []byte

//go:embed instructions.txt
var instructions string

func readTexts() (t texts, err error) { return t, yaml.Unmarshal(textsYAML, &t) }

// revisions are those of the protocol that are served.
var revisions = []string{"2026-07-28", "2025-11-25", "2025-06-18"}

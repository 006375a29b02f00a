package openapi

import (
	"embed"
	"io/fs"
)

//go:embed connectors
var connectors embed.FS

// Connectors are the files for tools that load the API, below connectors/.
func Connectors() fs.FS { return connectors }

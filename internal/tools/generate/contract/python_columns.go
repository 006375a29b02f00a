package contract

import (
	"bytes"
	"fmt"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"
)

// PythonColumns returns the Python client's module of columns: the fields of each list's
// rows, in the contract's order, and what kind of value each holds.
func PythonColumns(document *yaml.Node) ([]byte, error) {
	out := bytes.NewBufferString(`"""The columns of the lists, and what kind of value each holds. Made from the contract, not edited."""

TABLES: dict[str, dict[str, str]] = {
`)
	schemas := valueOf(valueOf(document, "components"), "schemas")
	for _, table := range []struct{ name, schema string }{
		{"interviews", "Interview"}, {"campaigns", "Campaign"}, {"synthesis", "SynthesisDocumentRow"},
	} {
		schema := valueOf(schemas, table.schema)
		if schema == nil {
			return nil, fmt.Errorf("the contract has no schema %s", table.schema)
		}
		fmt.Fprintf(out, "    %q: {\n", table.name)
		fields := valueOf(schema, "properties").Content
		for i := 0; i+1 < len(fields); i += 2 {
			fmt.Fprintf(out, "        %q: %q,\n", fields[i].Value, pythonKind(schemas, fields[i+1]))
		}
		out.WriteString("    },\n")
	}
	out.WriteString("}\n")
	return out.Bytes(), nil
}

// pythonKind is what the Python client calls a field's type.
func pythonKind(schemas, schema *yaml.Node) string {
	if ref := valueOf(schema, "$ref"); ref != nil {
		schema = valueOf(schemas, path.Base(ref.Value))
	}
	is := func(key, value string) bool {
		node := valueOf(schema, key)
		return node != nil && (node.Value == value || slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return n.Value == value }))
	}
	switch {
	case is("format", "date-time"):
		return "time"
	case is("format", "date"):
		return "date"
	case is("type", "number"):
		return "number"
	case is("type", "boolean"):
		return "boolean"
	case is("type", "string"):
		return "text"
	default:
		return "json"
	}
}

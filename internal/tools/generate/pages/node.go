package pages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// node is a part of the contract, its keys in the order they were written. What
// is not there is the zero node, so that a path through it needs no checks.
type node struct {
	raw    json.RawMessage
	keys   []string
	fields map[string]node
	items  []node
}

func parseNode(raw json.RawMessage) (node, error) {
	v := node{raw: raw}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	first, err := decoder.Token()
	if err != nil {
		return node{}, fmt.Errorf("reading the contract: %w", err)
	}
	opening, _ := first.(json.Delim)
	if opening == '{' {
		v.fields = map[string]node{}
	}
	for opening != 0 && decoder.More() {
		key := ""
		if opening == '{' {
			token, err := decoder.Token()
			if err != nil {
				return node{}, fmt.Errorf("reading the contract: %w", err)
			}
			key, _ = token.(string)
		}
		var part json.RawMessage
		if err := decoder.Decode(&part); err != nil {
			return node{}, fmt.Errorf("reading the contract: %w", err)
		}
		child, err := parseNode(part)
		if err != nil {
			return node{}, err
		}
		if opening == '[' {
			v.items = append(v.items, child)
			continue
		}
		v.keys = append(v.keys, key)
		v.fields[key] = child
	}
	return v, nil
}

// at returns the node under these keys.
func (v node) at(keys ...string) node {
	for _, key := range keys {
		v = v.fields[key]
	}
	return v
}

func (v node) exists() bool { return v.raw != nil }

// text is a string as it reads, and anything else as JSON.
func (v node) text() string {
	var s string
	if json.Unmarshal(v.raw, &s) == nil {
		return s
	}
	return string(v.raw)
}

// texts are the items of a list, or the one value that stands for a list.
func (v node) texts() []string {
	if v.items == nil {
		if !v.exists() {
			return nil
		}
		return []string{v.text()}
	}
	all := make([]string, len(v.items))
	for i, item := range v.items {
		all[i] = item.text()
	}
	return all
}

func (v node) indented() string {
	var out bytes.Buffer
	if err := json.Indent(&out, v.raw, "", "  "); err != nil {
		return string(v.raw)
	}
	return out.String()
}

// resolve replaces a reference by its target, and keeps the description beside
// the reference.
func (v node) resolve(root node) node {
	target := v.at("$ref").text()
	if target == "" {
		return v
	}
	found := root.at(strings.Split(strings.TrimPrefix(target, "#/"), "/")...).resolve(root)
	if beside := v.at("description"); beside.exists() {
		fields := map[string]node{}
		for key, field := range found.fields {
			fields[key] = field
		}
		fields["description"] = beside
		found.fields = fields
	}
	return found
}

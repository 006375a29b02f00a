package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// value is a part of the contract, its keys in the order they were written. What
// is not there is the zero value, so that a path through it needs no checks.
type value struct {
	raw    json.RawMessage
	keys   []string
	fields map[string]value
	items  []value
}

func parseValue(raw json.RawMessage) (value, error) {
	v := value{raw: raw}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	first, err := decoder.Token()
	if err != nil {
		return value{}, fmt.Errorf("reading the contract: %w", err)
	}
	opening, _ := first.(json.Delim)
	if opening == '{' {
		v.fields = map[string]value{}
	}
	for opening != 0 && decoder.More() {
		key := ""
		if opening == '{' {
			token, err := decoder.Token()
			if err != nil {
				return value{}, fmt.Errorf("reading the contract: %w", err)
			}
			key, _ = token.(string)
		}
		var part json.RawMessage
		if err := decoder.Decode(&part); err != nil {
			return value{}, fmt.Errorf("reading the contract: %w", err)
		}
		child, err := parseValue(part)
		if err != nil {
			return value{}, err
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

// at goes down by keys.
func (v value) at(keys ...string) value {
	for _, key := range keys {
		v = v.fields[key]
	}
	return v
}

func (v value) exists() bool { return v.raw != nil }

// text is a string as it reads, and anything else as JSON.
func (v value) text() string {
	var s string
	if json.Unmarshal(v.raw, &s) == nil {
		return s
	}
	return string(v.raw)
}

// texts are the items of a list, or the one value that stands for a list.
func (v value) texts() []string {
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

func (v value) indented() string {
	var out bytes.Buffer
	if err := json.Indent(&out, v.raw, "", "  "); err != nil {
		return string(v.raw)
	}
	return out.String()
}

// follow replaces a reference by what it names, and keeps the description that
// stands beside it.
func (v value) follow(root value) value {
	target := v.at("$ref").text()
	if target == "" {
		return v
	}
	found := root.at(strings.Split(strings.TrimPrefix(target, "#/"), "/")...).follow(root)
	if beside := v.at("description"); beside.exists() {
		fields := map[string]value{}
		for key, field := range found.fields {
			fields[key] = field
		}
		fields["description"] = beside
		found.fields = fields
	}
	return found
}

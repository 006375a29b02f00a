package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

// executions reports of each function in the profiles whether any part of it was
// executed. A function is named as internal/page.(*Codec).Encode.
func executions(profiles []*cover.Profile) (map[string]bool, error) {
	executed := map[string]bool{}
	for _, profile := range profiles {
		path := strings.TrimPrefix(profile.FileName, module+"/")
		if !isShipped(path) {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || function.Body == nil || len(function.Body.List) == 0 {
				continue
			}
			name := path[:strings.LastIndexByte(path, '/')] + "." + nameOf(function)
			from, to := fset.Position(function.Body.Pos()), fset.Position(function.Body.End())
			executed[name] = executed[name] || anyExecuted(profile.Blocks, from, to)
		}
	}
	return executed, nil
}

// isShipped reports whether a release or a partner gets a file or package; gen/ is
// not ours to test.
func isShipped(path string) bool {
	return !slices.ContainsFunc([]string{"gen/", "internal/test/", "internal/tools/"}, func(folder string) bool {
		return strings.HasPrefix(path, folder)
	})
}

func anyExecuted(blocks []cover.ProfileBlock, from, to token.Position) bool {
	for _, b := range blocks {
		afterStart := b.StartLine > from.Line || b.StartLine == from.Line && b.StartCol >= from.Column
		beforeEnd := b.EndLine < to.Line || b.EndLine == to.Line && b.EndCol <= to.Column
		if b.Count > 0 && afterStart && beforeEnd {
			return true
		}
	}
	return false
}

// nameOf is a function's name, a method's with its receiver.
func nameOf(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return function.Name.Name
	}
	receiver, pointer := function.Recv.List[0].Type, ""
	if star, ok := receiver.(*ast.StarExpr); ok {
		receiver, pointer = star.X, "*"
	}
	if generic, ok := receiver.(*ast.IndexExpr); ok {
		receiver = generic.X
	}
	name := "?"
	if identifier, ok := receiver.(*ast.Ident); ok {
		name = identifier.Name
	}
	if pointer != "" {
		name = "(*" + name + ")"
	}
	return name + "." + function.Name.Name
}

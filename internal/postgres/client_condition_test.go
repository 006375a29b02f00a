package postgres_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	ast "github.com/pganalyze/pg_query_go/v6"
	pgquery "github.com/wasilibs/go-pgquery"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// tenancy is the part of the schema that holds or reads the records of clients.
type tenancy struct {
	// relations maps each table and view to the column that holds the client.
	relations map[string]string
	// functions maps each function that reads a relation, itself or through another
	// function, to the position of its client argument, or -1.
	functions map[string]int
}

// clientCheck finds what a query reads of which clients.
type clientCheck struct {
	schema tenancy
	// conditions bind a relation or a function to @client_id: an equality, or an argument.
	conditions []*ast.Node
	// unbound are the relations and functions that no condition binds.
	unbound []string
	judged  map[*ast.RangeVar]bool
}

// read is a relation in a FROM clause, or a function there that reads one.
type read struct {
	name, column string
	bound        bool
}

// level is what one SELECT, UPDATE or DELETE reads, by alias. A subquery is another level.
type level struct {
	reads      map[string]*read
	conditions []levelCondition
}

// levelCondition is a member of the AND of a WHERE or ON clause. An outer join
// keeps the rows of one side whatever its ON clause says of them.
type levelCondition struct {
	node    *ast.Node
	filters []string // aliases
}

func checkClient(schema tenancy, parsed *ast.ParseResult) *clientCheck {
	c := &clientCheck{schema: schema, judged: map[*ast.RangeVar]bool{}}
	c.visit(parsed)
	slices.Sort(c.unbound)
	return c
}

// visit judges a node and all below it, the levels before their relations.
func (c *clientCheck) visit(node proto.Message) {
	switch n := node.(type) {
	case *ast.SelectStmt:
		c.judgeLevel(n.FromClause, n.WhereClause)
	case *ast.UpdateStmt:
		c.judgeLevel(append([]*ast.Node{relationNode(n.Relation)}, n.FromClause...), n.WhereClause)
	case *ast.DeleteStmt:
		c.judgeLevel(append([]*ast.Node{relationNode(n.Relation)}, n.UsingClause...), n.WhereClause)
	case *ast.InsertStmt:
		// New rows read nothing; an update of existing ones stays unjudged.
		c.judged[n.Relation] = n.OnConflictClause.GetAction() != ast.OnConflictAction_ONCONFLICT_UPDATE
	case *ast.FuncCall:
		name := lastName(n.Funcname)
		if position, reads := c.schema.functions[name]; reads {
			if argument := clientArgument(n, position); argument != nil {
				c.conditions = append(c.conditions, argument)
			} else {
				c.unbound = append(c.unbound, name)
			}
		}
	case *ast.RangeVar:
		if _, holds := c.schema.relations[n.Relname]; holds && !c.judged[n] {
			c.unbound = append(c.unbound, n.Relname) // a statement or clause that this check does not know
		}
	}
	node.ProtoReflect().Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.Message() == nil:
		case field.IsList():
			for i := range value.List().Len() {
				c.visit(value.List().Get(i).Message().Interface())
			}
		default:
			c.visit(value.Message().Interface())
		}
		return true
	})
}

// judgeLevel binds each relation that an equality with the parameter, or with the
// client of a bound relation, limits.
func (c *clientCheck) judgeLevel(from []*ast.Node, where *ast.Node) {
	l := &level{reads: map[string]*read{}}
	var all []string
	for _, item := range from {
		all = append(all, c.addReads(l, item)...)
	}
	l.addConditions(where, all)
	for more := true; more; {
		more = false
		for _, condition := range l.conditions {
			if l.binds(condition) {
				c.conditions = append(c.conditions, condition.node)
				more = true
			}
		}
	}
	for _, r := range l.reads {
		if !r.bound {
			c.unbound = append(c.unbound, r.name)
		}
	}
}

// addReads adds what an item of a FROM clause reads, and returns its aliases.
func (c *clientCheck) addReads(l *level, item *ast.Node) []string {
	switch n := item.GetNode().(type) {
	case *ast.Node_RangeVar:
		relation := n.RangeVar
		c.judged[relation] = true
		column, holds := c.schema.relations[relation.Relname]
		if !holds {
			return nil
		}
		alias := relation.Relname
		if relation.Alias != nil {
			alias = relation.Alias.Aliasname
		}
		l.reads[alias] = &read{name: relation.Relname, column: column}
		return []string{alias}
	case *ast.Node_RangeFunction:
		// Judged where visit meets its call; here it only lends its client to a join.
		items := n.RangeFunction.Functions
		if len(items) != 1 || n.RangeFunction.Alias == nil {
			return nil
		}
		call := items[0].GetList().GetItems()[0].GetFuncCall()
		if position, reads := c.schema.functions[lastName(call.GetFuncname())]; reads && clientArgument(call, position) != nil {
			l.reads[n.RangeFunction.Alias.Aliasname] = &read{column: "client_id", bound: true}
		}
	case *ast.Node_JoinExpr:
		left, right := c.addReads(l, n.JoinExpr.Larg), c.addReads(l, n.JoinExpr.Rarg)
		both := slices.Concat(left, right)
		switch n.JoinExpr.Jointype {
		case ast.JoinType_JOIN_INNER:
			l.addConditions(n.JoinExpr.Quals, both)
		case ast.JoinType_JOIN_LEFT:
			l.addConditions(n.JoinExpr.Quals, right)
		case ast.JoinType_JOIN_RIGHT:
			l.addConditions(n.JoinExpr.Quals, left)
		}
		return both
	}
	return nil
}

func (l *level) addConditions(clause *ast.Node, filters []string) {
	if and := clause.GetBoolExpr(); and.GetBoolop() == ast.BoolExprType_AND_EXPR {
		for _, member := range and.Args {
			l.addConditions(member, filters)
		}
		return
	}
	l.conditions = append(l.conditions, levelCondition{clause, filters})
}

// binds says whether a condition binds a relation that was not bound, and notes it.
func (l *level) binds(condition levelCondition) bool {
	equality := condition.node.GetAExpr()
	if !isOperator(equality, "=") {
		return false
	}
	for _, sides := range [][2]*ast.Node{{equality.Lexpr, equality.Rexpr}, {equality.Rexpr, equality.Lexpr}} {
		alias, r := l.clientColumn(sides[0])
		if r == nil || r.bound || !slices.Contains(condition.filters, alias) {
			continue
		}
		if _, other := l.clientColumn(sides[1]); isClientParameter(sides[1]) || other != nil && other.bound {
			r.bound = true
			return true
		}
	}
	return false
}

// clientColumn returns whose client a column holds: none for another column, or one of another level.
func (l *level) clientColumn(node *ast.Node) (string, *read) {
	fields := node.GetColumnRef().GetFields()
	if len(fields) != 2 {
		return "", nil
	}
	alias := fields[0].GetString_().GetSval()
	if r := l.reads[alias]; r != nil && r.column == fields[1].GetString_().GetSval() {
		return alias, r
	}
	return "", nil
}

// clientArgument returns a call's client argument if it is the parameter.
func clientArgument(call *ast.FuncCall, position int) *ast.Node {
	if position >= 0 && position < len(call.GetArgs()) && isClientParameter(call.Args[position]) {
		return call.Args[position]
	}
	return nil
}

// isClientParameter recognizes @client_id as the grammar sees it, sqlc's way: a
// prefix operator and a column.
func isClientParameter(node *ast.Node) bool {
	prefix := withoutCast(node).GetAExpr()
	if !isOperator(prefix, "@") || prefix.Lexpr != nil {
		return false
	}
	fields := withoutCast(prefix.Rexpr).GetColumnRef().GetFields()
	return len(fields) == 1 && fields[0].GetString_().GetSval() == "client_id"
}

func withoutCast(node *ast.Node) *ast.Node {
	if cast := node.GetTypeCast(); cast != nil && lastName(cast.TypeName.Names) == "uuid" {
		return cast.Arg
	}
	return node
}

func isOperator(e *ast.A_Expr, name string) bool {
	return e.GetKind() == ast.A_Expr_Kind_AEXPR_OP && len(e.Name) == 1 && lastName(e.Name) == name
}

func lastName(names []*ast.Node) string {
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1].GetString_().GetSval()
}

func relationNode(relation *ast.RangeVar) *ast.Node {
	return &ast.Node{Node: &ast.Node_RangeVar{RangeVar: relation}}
}

func parseSQL(t *testing.T, name, text string) *ast.ParseResult {
	t.Helper()
	parsed, err := pgquery.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return parsed
}

// readTenancy finds the relations of clients by their column client_id, and the
// functions that read them by the names in their text.
func readTenancy(t *testing.T) tenancy {
	t.Helper()
	content, err := os.ReadFile("../../sql/schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	schema := tenancy{relations: map[string]string{"clients": "id"}, functions: map[string]int{}}
	texts, positions := map[string]string{}, map[string]int{}
	for _, raw := range parseSQL(t, "schema.sql", string(content)).Stmts {
		switch n := raw.Stmt.Node.(type) {
		case *ast.Node_CreateStmt:
			for _, element := range n.CreateStmt.TableElts {
				if element.GetColumnDef().GetColname() == "client_id" {
					schema.relations[n.CreateStmt.Relation.Relname] = "client_id"
				}
			}
		case *ast.Node_ViewStmt:
			for _, target := range n.ViewStmt.Query.GetSelectStmt().TargetList {
				column := target.GetResTarget()
				if column.Name == "client_id" || column.Name == "" && lastName(column.Val.GetColumnRef().GetFields()) == "client_id" {
					schema.relations[n.ViewStmt.View.Relname] = "client_id"
				}
			}
		case *ast.Node_CreateFunctionStmt:
			name := lastName(n.CreateFunctionStmt.Funcname)
			if texts[name] != "" {
				t.Fatalf("function %s is there twice: this check knows functions by their name", name)
			}
			texts[name] = sqlComment.ReplaceAllString(string(content[raw.StmtLocation:raw.StmtLocation+raw.StmtLen]), "")
			positions[name] = clientPosition(n.CreateFunctionStmt.Parameters)
		}
	}
	for more := true; more; {
		more = false
		for name, text := range texts {
			if _, known := schema.functions[name]; known {
				continue
			}
			for _, word := range sqlWord.FindAllString(text, -1) {
				_, isRelation := schema.relations[word]
				_, isFunction := schema.functions[word]
				if isRelation || isFunction {
					schema.functions[name] = positions[name]
					more = true
					break
				}
			}
		}
	}
	return schema
}

var (
	sqlComment = regexp.MustCompile(`--.*`)
	sqlWord    = regexp.MustCompile(`\w+`)
)

// clientPosition finds the argument that is called client, or something_client, or returns -1.
func clientPosition(parameters []*ast.Node) int {
	position := 0
	for _, parameter := range parameters {
		p := parameter.GetFunctionParameter()
		if p.Mode == ast.FunctionParameterMode_FUNC_PARAM_OUT || p.Mode == ast.FunctionParameterMode_FUNC_PARAM_TABLE {
			continue
		}
		if (p.Name == "client" || strings.HasSuffix(p.Name, "_client")) && lastName(p.ArgType.Names) == "uuid" {
			return position
		}
		position++
	}
	return -1
}

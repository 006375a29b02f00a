// An own reading of M, Power Query's language, for the part of it that the
// scripts among the connectors use: Microsoft's engine runs in its products
// only. Its parser is to be had, and this walks the tree which that makes.
// What is not read here is an error that names it, never passed over.
import parser from "@microsoft/powerquery-parser";

/** Failure is an error of M: a reason, a message and a detail. */
export class Failure extends Error {
  constructor(reason, message, detail = null) {
    super([reason, message, detail].filter((part) => part !== null).join(": "));
  }
}

/** Binary is bytes, and what is known about where they came from. */
export class Binary {
  constructor(bytes, metadata = new Record()) {
    Object.assign(this, { bytes, metadata });
  }
}

/** Duration is a span of time. */
export class Duration {
  constructor(seconds) {
    this.seconds = seconds;
  }
}

/** Type is one of M's primitive types, by name. */
export class Type {
  constructor(name) {
    this.name = name;
  }
}

/** Table is columns' names, and rows that are lists of cells in their order. */
export class Table {
  constructor(columns, rows) {
    Object.assign(this, { columns, rows });
  }
}

/** Record is fields by name, each worked out when it is first asked for. */
export class Record {
  constructor(fields = new Map()) {
    this.fields = fields;
  }

  static of(values) {
    return new Record(new Map(Object.entries(values).map(([name, value]) => [name, async () => value])));
  }

  async get(name) {
    if (!this.fields.has(name)) {
      throw new Failure("Expression.Error", `The field '${name}' of the record wasn't found.`);
    }
    return this.fields.get(name)();
  }
}

/** kindOf is the name of a value's primitive type. */
export function kindOf(value) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  const classes = [[Record, "record"], [Table, "table"], [Binary, "binary"], [Duration, "duration"], [Type, "type"]];
  for (const [made, name] of classes) {
    if (value instanceof made) return name;
  }
  return { string: "text", number: "number", boolean: "logical", function: "function" }[typeof value];
}

/** want returns a value that is of one of the types, and fails on any other. */
export function want(value, ...types) {
  if (!types.includes(kindOf(value)) && !types.includes("any")) {
    throw new Failure("Expression.Error", `We cannot convert a value of type ${kindOf(value)} to type ${types.join(" or ")}.`);
  }
  return value;
}

/** parse makes a tree of a script's text. */
export async function parse(name, text) {
  const task = await parser.TaskUtils.tryLexParse(parser.DefaultSettings, text);
  if (parser.TaskUtils.isError(task)) {
    throw new Failure(`Parsing ${name}`, task.error.message);
  }
  return task.ast;
}

/** once makes work that is done when first asked for, and then no more. */
export function once(work) {
  let done;
  return () => (done ??= work());
}

// A scope is names, each with its work, and the scope around it. What defines a
// name does not see it, unless it says @.
function bind(pairs, outer) {
  const names = new Map();
  for (const { node } of pairs.elements) {
    const name = node.key.literal;
    names.set(name, once(() => evaluate(node.value, { names, outer, hidden: name })));
  }
  return names;
}

function lookUp(name, scope, inclusive) {
  for (let s = scope; s; s = s.outer) {
    if (s.names.has(name) && (inclusive || s.hidden !== name)) return s.names.get(name)();
  }
  throw new Failure("Expression.Error", `The name '${name}' wasn't recognized.`);
}

function primitive(type) {
  if (type.kind !== "PrimitiveType") throw new Failure("Not read here", type.kind);
  return type.primitiveTypeKind;
}

function functionOf(node, scope) {
  const parameters = node.parameters.content.elements.map((each) => each.node);
  for (const parameter of parameters) {
    if (parameter.optionalConstant) throw new Failure("Not read here", "optional");
  }
  return async (...values) => {
    if (values.length !== parameters.length) {
      throw new Failure("Expression.Error", `${values.length} arguments were passed to a function which expects ${parameters.length}.`);
    }
    const names = new Map();
    for (const [i, { name, parameterType }] of parameters.entries()) {
      if (parameterType) want(values[i], primitive(parameterType.paired));
      names.set(name.literal, async () => values[i]);
    }
    const result = await evaluate(node.expression, { names, outer: scope });
    return node.functionReturnType ? want(result, primitive(node.functionReturnType.paired)) : result;
  };
}

function literal({ literal: text, literalKind }) {
  switch (literalKind) {
    case "Null":
      return null;
    case "Logical":
      return text === "true";
    case "Numeric":
      if (/^[0-9.]+$/.test(text)) return Number(text);
      break;
    case "Text":
      if (!text.includes("#(")) return text.slice(1, -1).replaceAll('""', '"');
  }
  throw new Failure("Not read here", text);
}

async function field(value, selector) {
  if (selector.optionalConstant) throw new Failure("Not read here", "[field]?");
  return want(value, "record").get(selector.content.literal);
}

// Whether two values are equal; whatever it is, a value is compared with null.
function equal(a, b) {
  if (a === null || b === null) return a === b;
  return want(a, "text", "number", "logical") === want(b, "text", "number", "logical");
}

const operators = {
  "=": equal,
  "<>": (a, b) => !equal(a, b),
  ">": (a, b) => want(a, "number") > want(b, "number"),
  ">=": (a, b) => want(a, "number") >= want(b, "number"),
  "+": (a, b) => want(a, "number") + want(b, "number"),
  "&": (a, b) =>
    want(a, "text", "record") instanceof Record
      ? new Record(new Map([...a.fields, ...want(b, "record").fields]))
      : a + want(b, "text"),
};

/** evaluate is the value of an expression. */
export async function evaluate(node, scope) {
  switch (node.kind) {
    case "LetExpression":
      return evaluate(node.expression, { names: bind(node.variableList, scope), outer: scope });
    case "RecordExpression":
      return new Record(bind(node.content, scope));
    case "ListExpression": {
      const items = [];
      for (const item of node.content.elements) items.push(await evaluate(item.node, scope));
      return items;
    }
    case "LiteralExpression":
      return literal(node);
    case "IdentifierExpression":
      return lookUp(node.identifier.literal, scope, Boolean(node.inclusiveConstant));
    case "ParenthesizedExpression":
      return evaluate(node.content, scope);
    case "TypePrimaryType":
      return new Type(primitive(node.paired));
    case "FunctionExpression":
      return functionOf(node, scope);
    case "EachExpression":
      return async (value) => evaluate(node.paired, { names: new Map([["_", async () => value]]), outer: scope });
    case "FieldSelector":
      return field(await lookUp("_", scope), node);
    case "RecursivePrimaryExpression": {
      let value = await evaluate(node.head, scope);
      for (const step of node.recursiveExpressions.elements) {
        if (step.kind === "FieldSelector") {
          value = await field(value, step);
        } else if (step.kind === "InvokeExpression") {
          const passed = [];
          for (const argument of step.content.elements) passed.push(await evaluate(argument.node, scope));
          value = await want(value, "function")(...passed);
        } else {
          throw new Failure("Not read here", step.kind);
        }
      }
      return value;
    }
    case "IfExpression": {
      const holds = want(await evaluate(node.condition, scope), "logical");
      return evaluate(holds ? node.trueExpression : node.falseExpression, scope);
    }
    case "LogicalExpression": {
      const left = want(await evaluate(node.left, scope), "logical");
      if (left === (node.operatorConstant.constantKind === "or")) return left;
      return want(await evaluate(node.right, scope), "logical");
    }
    case "ArithmeticExpression":
    case "EqualityExpression":
    case "RelationalExpression": {
      const operator = operators[node.operatorConstant.constantKind];
      if (!operator) throw new Failure("Not read here", node.operatorConstant.constantKind);
      return operator(await evaluate(node.left, scope), await evaluate(node.right, scope));
    }
    case "ErrorRaisingExpression": {
      const raised = want(await evaluate(node.paired, scope), "record");
      throw new Failure(await raised.get("Reason"), await raised.get("Message"), await raised.get("Detail"));
    }
    default:
      throw new Failure("Not read here", node.kind);
  }
}

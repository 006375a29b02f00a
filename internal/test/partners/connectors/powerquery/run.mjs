// Runs one of a folder's Power Query scripts and prints its table as JSON, with
// the seconds it waited:
//
//   node run.mjs [--note-waits] FOLDER QUERY PARAMETER=VALUE...
//
// With --note-waits it notes a wait instead of waiting. Here are the functions
// of M's library that the scripts call, as its documentation has them; the
// language is in language.mjs.
import fs from "node:fs/promises";
import http from "node:http";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Binary, Duration, Failure, Record, Table, evaluate, kindOf, once, parse, want } from "./language.mjs";

const { values: flags, positionals } = parseArgs({ options: { "note-waits": { type: "boolean" } }, allowPositionals: true });
const [folder, query, ...parameters] = positionals;
const waits = [];

function send(url, headers) {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers }, async (response) => {
      try {
        const chunks = [];
        for await (const chunk of response) chunks.push(chunk);
        const sent = {};
        // As the service spells them: a record tells upper from lower case.
        for (let i = 0; i < response.rawHeaders.length; i += 2) sent[response.rawHeaders[i]] = response.rawHeaders[i + 1];
        resolve(new Binary(Buffer.concat(chunks), Record.of({ "Response.Status": response.statusCode, Headers: Record.of(sent) })));
      } catch (err) {
        reject(err);
      }
    });
    request.on("error", reject);
  });
}

// All fields of a record, each a text.
async function texts(record) {
  const found = {};
  for (const name of record.fields.keys()) found[name] = want(await record.get(name), "text");
  return found;
}

// Within a run an equal request is answered from here, unless it says IsRetry.
const answers = new Map();

async function webContents(address, options) {
  const known = { RelativePath: "text", Query: "record", Headers: "record", ManualStatusHandling: "list", IsRetry: "logical" };
  const given = {};
  for (const [name, value] of options.fields) {
    if (!known[name]) throw new Failure("Not read here", `Web.Contents' option ${name}`);
    given[name] = want(await value(), known[name]);
  }
  const { RelativePath = "", Query = new Record(), Headers = new Record(), ManualStatusHandling = [], IsRetry = false } = given;
  const url = new URL(`${address.replace(/\/$/, "")}/${RelativePath}`);
  for (const [name, value] of Object.entries(await texts(Query))) url.searchParams.set(name, value);
  const headers = await texts(Headers);
  const request = JSON.stringify([url, headers]);
  if (IsRetry || !answers.has(request)) answers.set(request, await send(url, headers));
  const answer = answers.get(request);
  const status = await answer.metadata.get("Response.Status");
  if (status >= 400 && !ManualStatusHandling.includes(status)) {
    throw new Failure("DataSource.Error", `Web.Contents failed to get contents from '${url}' (${status})`);
  }
  return answer;
}

function fromJSON(value) {
  if (Array.isArray(value)) return value.map(fromJSON);
  if (value === null || typeof value !== "object") return value;
  return Record.of(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromJSON(inner)])));
}

async function toJSON(value) {
  switch (kindOf(value)) {
    case "list":
      return Promise.all(value.map(toJSON));
    case "record": {
      const fields = {};
      for (const name of value.fields.keys()) fields[name] = await toJSON(await value.get(name));
      return fields;
    }
    case "table":
      return value.rows.map((row) => Object.fromEntries(value.columns.map((column, i) => [column, row[i]])));
    default:
      return want(value, "null", "text", "number", "logical");
  }
}

function toNumber(text) {
  const number = Number(text);
  if (text.trim() === "" || Number.isNaN(number)) {
    throw new Failure("DataFormat.Error", "We couldn't convert to Number.", text);
  }
  return number;
}

// A value of a cell, made one of the type.
function converted(value, type) {
  if (value === null) return null;
  switch (type.name) {
    case "number":
      return kindOf(value) === "text" ? toNumber(value) : want(value, "number");
    case "datetimezone":
      if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,7})?(Z|[+-]\d\d:\d\d)$/.test(want(value, "text")) || Number.isNaN(Date.parse(value))) {
        throw new Failure("DataFormat.Error", "We couldn't parse the input provided as a DateTimeZone value.", value);
      }
      return value;
    default:
      throw new Failure("Not read here", `a conversion to ${type.name}`);
  }
}

async function generate(initial, condition, next, selector) {
  const found = [];
  for (let state = await initial(); want(await condition(state), "logical"); state = await next(state)) {
    found.push(await selector(state));
  }
  return found;
}

async function fromRecords(records, columns, missing) {
  const rows = [];
  for (const record of records) {
    const cell = (column) => (missing === "UseNull" && !record.fields.has(column) ? null : record.get(column));
    rows.push(await Promise.all(columns.map(cell)));
  }
  return new Table(columns, rows);
}

function columnOf(table, name) {
  if (!table.columns.includes(name)) {
    throw new Failure("Expression.Error", `The column '${name}' of the table wasn't found.`);
  }
  return table.columns.indexOf(name);
}

// The culture is that of texts to read numbers and dates from; ours have none.
function transformColumnTypes(table, changes, _culture) {
  const types = new Map(changes.map(([name, type]) => [columnOf(table, name), type]));
  return new Table(
    table.columns,
    table.rows.map((row) => row.map((cell, i) => (types.has(i) ? converted(cell, types.get(i)) : cell))),
  );
}

async function addColumn(table, name, work, type) {
  const rows = [];
  for (const row of table.rows) {
    const record = Record.of(Object.fromEntries(table.columns.map((column, i) => [column, row[i]])));
    rows.push([...row, want(await work(record), type.name, "null")]);
  }
  return new Table([...table.columns, name], rows);
}

async function invokeAfter(work, { seconds }) {
  waits.push(seconds);
  if (!flags["note-waits"]) await sleep(seconds * 1000);
  return work();
}

// The library: each function with the types of its arguments, all of them wanted.
const library = {
  "#duration": [["number", "number", "number", "number"], (d, h, m, s) => new Duration(((d * 24 + h) * 60 + m) * 60 + s)],
  "Binary.Buffer": [["binary"], ({ bytes }) => new Binary(bytes)],
  "Error.Record": [["text", "text", "any"], (Reason, Message, Detail) => Record.of({ Reason, Message, Detail })],
  "Function.InvokeAfter": [["function", "duration"], invokeAfter],
  "Json.Document": [["binary"], ({ bytes }) => fromJSON(JSON.parse(bytes.toString()))],
  "List.Combine": [["list"], (lists) => lists.flatMap((each) => want(each, "list"))],
  "List.Generate": [["function", "function", "function", "function"], generate],
  "Number.FromText": [["text"], toNumber],
  "Record.FieldOrDefault": [["record", "text", "any"], (record, name, other) => (record.fields.has(name) ? record.get(name) : other)],
  "Table.AddColumn": [["table", "text", "function", "type"], addColumn],
  "Table.FromRecords": [["list", "list", "text"], fromRecords],
  "Table.TransformColumnTypes": [["table", "list", "text"], transformColumnTypes],
  "Text.From": [["number"], String],
  "Text.FromBinary": [["binary"], ({ bytes }) => bytes.toString()],
  "Value.Metadata": [["binary"], ({ metadata }) => metadata],
  "Web.Contents": [["text", "record"], webContents],
};

const names = new Map([["MissingField.UseNull", async () => "UseNull"]]);
for (const [name, [types, work]] of Object.entries(library)) {
  names.set(name, async () => async (...values) => {
    if (values.length !== types.length) throw new Failure("Not read here", `${name} with ${values.length} arguments`);
    return work(...values.map((value, i) => want(value, types[i])));
  });
}
for (const parameter of parameters) {
  const [name, ...value] = parameter.split("=");
  names.set(name, async () => value.join("="));
}
for (const file of await fs.readdir(folder)) {
  const name = path.basename(file, ".pq");
  const text = await fs.readFile(path.join(folder, file), "utf8");
  names.set(name, once(async () => evaluate(await parse(name, text), { names, hidden: name })));
}
try {
  if (!names.has(query)) throw new Failure("Nothing to run", query);
  const rows = await toJSON(want(await names.get(query)(), "table"));
  console.log(JSON.stringify({ rows, waits }));
} catch (err) {
  console.error(err instanceof Failure ? err.message : err);
  process.exitCode = 1;
}

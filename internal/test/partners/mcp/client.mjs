// Lists and calls every tool with an SDK's own client, which holds each answer
// against the tool's output schema. Arguments: sdk version, revision, address,
// key, calls as JSON. Prints what it saw as JSON.
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';

const [sdk, revision, address, key, calls] = process.argv.slice(2);
const requestInit = { headers: { Authorization: `Bearer ${key}` } };
const info = { name: 'partners', version: '1.0.0' };

let client;
if (sdk === 'v1') {
  client = new ClientV1(info);
  await client.connect(new TransportV1(new URL(address), { requestInit }));
} else {
  const mode = revision >= '2026' ? { pin: revision } : 'legacy';
  client = new ClientV2(info, { versionNegotiation: { mode } });
  await client.connect(new TransportV2(new URL(address), { requestInit }));
}

const seen = { instructions: client.getInstructions() ?? '', tools: [], results: {}, unknown: '' };
seen.tools = (await client.listTools()).tools.map((tool) => tool.name);
for (const [name, args] of JSON.parse(calls)) {
  const result = await client.callTool({ name, arguments: args });
  (seen.results[name] ??= []).push({
    isError: result.isError ?? false,
    structured: result.structuredContent ?? null,
    text: result.content[0].text,
  });
}
try {
  await client.callTool({ name: 'no_such_tool', arguments: {} });
} catch (error) {
  seen.unknown = String(error.code);
}
await client.close();
console.log(JSON.stringify(seen));

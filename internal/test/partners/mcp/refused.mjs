// Connects with an SDK's own client, calls a tool, and prints what its user is told.
// Arguments: sdk version, revision, address, key, an Origin or nothing. Between the
// two it waits for a line.
import { createInterface } from 'node:readline/promises';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from '@modelcontextprotocol/client';

const [sdk, revision, address, key, origin] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}`, ...(origin ? { Origin: origin } : {}) };
const info = { name: 'partners', version: '1.0.0' };
const line = createInterface({ input: process.stdin });
try {
  const client = sdk === 'v1' ? new ClientV1(info) :
    new ClientV2(info, { versionNegotiation: { mode: revision >= '2026' ? { pin: revision } : 'legacy' } });
  await client.connect(new (sdk === 'v1' ? TransportV1 : TransportV2)(new URL(address), { requestInit: { headers } }));
  console.log('connected');
  await line[Symbol.asyncIterator]().next();
  await client.callTool({ name: 'list_campaigns', arguments: {} });
  console.log('answered');
} catch (error) {
  console.log(String(error));
}
line.close();
process.exit(0);

// Lists and calls every tool with the client of Vercel's AI SDK. Arguments: address, key, calls
// as JSON. Prints the tools and what each result holds.
import { createMCPClient } from '@ai-sdk/mcp';

const [address, key, calls] = process.argv.slice(2);
const client = await createMCPClient({
  transport: { type: 'http', url: address, headers: { Authorization: `Bearer ${key}` } },
});
const tools = await client.tools();
const results = [];
for (const [name, args] of JSON.parse(calls)) {
  results.push((await tools[name].execute(args, { toolCallId: 'one', messages: [] })).structuredContent);
}
await client.close();
console.log(JSON.stringify({ tools: Object.keys(tools), results }));

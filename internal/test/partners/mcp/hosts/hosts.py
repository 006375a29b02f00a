"""Lists and calls every tool as hosts' own clients do: LangChain's adapter and FastMCP.

Arguments: host, address, key, calls as JSON. Prints the tools and the data of each result.
"""
import asyncio
import json
import sys

host, address, key, calls = sys.argv[1], sys.argv[2], sys.argv[3], json.loads(sys.argv[4])
headers = {"Authorization": "Bearer " + key}


async def langchain() -> dict:
    from langchain_mcp_adapters.client import MultiServerMCPClient

    client = MultiServerMCPClient({"service": {"transport": "streamable_http", "url": address, "headers": headers}})
    tools = {tool.name: tool for tool in await client.get_tools()}
    results = [await tools[name].ainvoke(arguments) for name, arguments in calls]
    return {"tools": list(tools), "results": [json.loads(result[0]["text"]) for result in results]}


async def fastmcp() -> dict:
    from fastmcp import Client
    from fastmcp.client.transports import StreamableHttpTransport

    async with Client(StreamableHttpTransport(address, headers=headers)) as client:
        results = [await client.call_tool(name, arguments) for name, arguments in calls]
        return {"tools": [tool.name for tool in await client.list_tools()], "results": [r.structured_content for r in results]}


print(json.dumps(asyncio.run({"langchain": langchain, "fastmcp": fastmcp}[host]())))

"""Connects with the official Python client, calls a tool, and prints what its user is told.

Arguments: address, key, and how many requests to make first. The last one is told of.
"""
import asyncio
import sys

import httpx2
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client


def told(error: BaseException) -> list[str]:
    if isinstance(error, BaseExceptionGroup):
        return [text for one in error.exceptions for text in told(one)]
    return [f"{type(error).__name__}: {error}"]


async def main(address: str, key: str) -> None:
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + key}) as http:
        async with streamable_http_client(address, http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                await session.initialize()
                print("connected", flush=True)
                sys.stdin.readline()
                result = await session.call_tool("list_campaigns", {})
                print("answered", result.is_error if hasattr(result, "is_error") else result.isError)


try:
    asyncio.run(main(*sys.argv[1:]))
except BaseException as error:
    print(*told(error), sep="\n")

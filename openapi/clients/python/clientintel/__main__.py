"""python -m clientintel sync warehouse.db"""

from __future__ import annotations

import argparse
import sys

from ._client import Client
from ._columns import TABLES
from ._errors import ClientIntelError
from ._stores import open_store
from ._sync import COLUMNS, sync


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="clientintel", description="Reads CLIENTINTEL_URL with the key in CLIENTINTEL_KEY, or in the file --key-file names."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("sync", help="keep a database or a folder of files up to date, withdrawals included")
    command.add_argument("target", help="warehouse.db, warehouse.duckdb, or a folder with --format")
    command.add_argument("--format", choices=["sqlite", "duckdb", "parquet", "csv"], help="what the target is")
    command.add_argument("--full", action="store_true", help="read everything again; once a week")
    command.add_argument("--with", dest="more", action="append", default=[], metavar="COLUMN",
                         help="one more column of interviews, such as custom_extraction; may be repeated")
    command.add_argument("--leave", type=int, default=0, metavar="N", help="requests of each hour to leave to others")
    command.add_argument("--page", type=int, default=200, metavar="N", help="rows a request, 1 to 200")
    command.add_argument("--key-file", metavar="FILE", help="a file that holds the key")
    given = parser.parse_args(arguments)
    columns = {table: list(names) for table, names in COLUMNS.items()}
    for name in given.more:
        if name not in TABLES["interviews"]:
            parser.error(f"interviews have no column {name}")
        columns["interviews"].append(name)
    key = None
    if given.key_file:
        with open(given.key_file, encoding="utf-8") as file:
            key = file.read().strip()
    try:
        client = Client(key=key, leave=given.leave, on_wait=say)
        store = open_store(given.target, given.format, columns)
    except ValueError as mistake:
        parser.error(str(mistake))
    try:
        sync(client, store, full=given.full, page=given.page)
        counts = {table: store.count(table) for table in columns}
    except ClientIntelError as error:
        print(f"clientintel: {error}", file=sys.stderr)
        return 1
    finally:
        store.close()
    for table, count in counts.items():
        print(table, count)
    return 0


def say(seconds: float, reason: str) -> None:
    print(f"waiting {seconds:.0f} s: {reason}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

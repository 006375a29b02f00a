"""python -m clientintel sync warehouse.db"""

from __future__ import annotations

import argparse
import logging
import sys

from ._client import Client
from ._errors import ClientIntelError
from ._sync import Counts


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m clientintel",
        description="Reads CLIENTINTEL_URL with the key in CLIENTINTEL_KEY, or in the file --key-file names.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("sync", help="keep a database or a folder of files up to date, withdrawals included")
    command.add_argument("target", help="warehouse.db, warehouse.duckdb, postgresql://user@host/database, or a folder with --format")
    command.add_argument("--format", choices=["sqlite", "duckdb", "postgresql", "parquet", "csv"], help="what the target is")
    command.add_argument("--full", action="store_true", help="read everything again; once a week")
    command.add_argument("--with", dest="columns", action="append", default=[], metavar="COLUMN",
                         help="one more column of interviews, such as custom_extraction; may be repeated")
    command.add_argument("--leave", type=int, default=0, metavar="N", help="requests of each hour to leave to others")
    command.add_argument("--page", type=int, default=200, metavar="N", help="rows a request, 1 to 200")
    command.add_argument("--keep-formulas", action="store_true", help="write CSV cells that begin like formulas as they are")
    command.add_argument("--key-file", metavar="FILE", help="a file that holds the key")
    given = parser.parse_args(arguments)
    # Waits are told on stderr.
    logging.basicConfig(format="clientintel: %(message)s", level=logging.WARNING)
    key = None
    try:
        if given.key_file:
            with open(given.key_file, encoding="utf-8") as file:
                key = file.read()
        with Client(key=key, leave=given.leave) as client:
            counts = client.sync(
                given.target, given.format, full=given.full, columns=given.columns, page=given.page,
                escape_formulas=not given.keep_formulas, on_progress=progress if sys.stderr.isatty() else None,
            )
    except ValueError as mistake:
        parser.error(str(mistake))
    except (ClientIntelError, OSError, ImportError) as error:
        print(f"clientintel: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("clientintel: stopped; the next run goes on", file=sys.stderr)
        return 130
    for table, count in counts.items():
        print(f"{table} {count.rows}: {count.added} added, {count.changed} changed, {count.removed} removed")
    return 0


def progress(table: str, count: Counts) -> None:
    print(f"\r{table}: {count.rows} rows, {count.added} added, {count.changed} changed\x1b[K", end="\r", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())

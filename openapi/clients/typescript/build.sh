#!/bin/sh
# Makes contract.d.ts from the contract, and index.js and index.d.ts from index.ts. Run in the repository's root, with the
# packages of internal/test/partners/clients/typescript installed; another folder may be named to write to.
set -eu
bin=internal/test/partners/clients/typescript/node_modules/.bin
made=${1:-openapi/clients/typescript}
"$bin/openapi-typescript" openapi/generated/openapi.json --output "$made/contract.d.ts"
"$bin/tsc" --project openapi/clients/typescript --outDir "$made"

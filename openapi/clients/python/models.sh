#!/bin/sh
# Makes clientintel/models.py, or the file that is named, from the contract. Run in the repository's root, with
# datamodel-code-generator (internal/test/partners/clients/python/requirements.txt) in the PATH.
set -eu
made=${1:-openapi/clients/python/clientintel/models.py}
datamodel-codegen --input openapi/openapi.yaml --input-file-type openapi --output "$made" --output-model-type typing.TypedDict \
	--target-python-version 3.11 --use-union-operator --use-standard-collections --use-schema-description \
	--disable-timestamp --formatters builtin
# TypedDict stands in the standard library; closed does not, and nothing here depends on it. NotRequired does since 3.11,
# and before that only a type checker asks for it.
sed -i -e 's/, closed=True//' -e '/^from typing_extensions/,+1d' \
	-e 's/^from typing import .*$/import sys\nfrom typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict\n\nif sys.version_info >= (3, 11):\n    from typing import NotRequired\nelif TYPE_CHECKING:\n    from typing_extensions import NotRequired/' "$made"

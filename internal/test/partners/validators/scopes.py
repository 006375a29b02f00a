"""Reads scopes as a JSON list and prints, for each, its SHA-256 in the form of RFC 8785, as two libraries write it."""
import hashlib
import json
import sys

import jcs
import rfc8785

scopes = json.load(sys.stdin)
print(json.dumps([[hashlib.sha256(form(scope)).hexdigest() for form in (rfc8785.dumps, jcs.canonicalize)] for scope in scopes]))

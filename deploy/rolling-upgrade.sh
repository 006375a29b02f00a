#!/usr/bin/env bash
# Upgrades a running pair of servers under load, and counts the requests that fail.
#
#   DATABASE_URL=… DATABASE_OWNER_URL=… KEY=cik_… deploy/rolling-upgrade.sh OLD NEW
#
# OLD and NEW are the programs of two releases. Two servers of OLD answer requests
# that go, as a load balancer sends them, to those that /readyz says are ready. NEW
# migrates the schema; then each server is ended and one of NEW started in its place.
# KEY is a key with read:interviews_metadata. PORT (18080) and the three after it must be free.
set -euo pipefail
old=$1 new=$2 port=${PORT:-18080}
dir=$(mktemp -d)
server=()
trap 'rm -f "$dir/go"; kill "${server[@]}" 2>/dev/null || true; wait; rm -rf "$dir"' EXIT

ready() { curl -sf -o /dev/null --max-time 2 "http://127.0.0.1:$((port + 2 + $1))/readyz"; }
start() { # a server's number, its program
	"$2" serve --no-migrate --listen "127.0.0.1:$((port + $1))" --ops-listen "127.0.0.1:$((port + 2 + $1))" 2>>"$dir/log" &
	server[$1]=$!
	until ready "$1"; do
		kill -0 "${server[$1]}" || { cat "$dir/log" >&2; exit 1; }
		sleep 0.1
	done
}
balance() { # what is ready, five times a second
	while [ -e "$dir/go" ]; do
		: >"$dir/next"
		for i in 0 1; do ! ready "$i" || echo "$i" >>"$dir/next"; done
		mv "$dir/next" "$dir/ready"
		sleep 0.2
	done
}
load() {
	while [ -e "$dir/go" ]; do
		mapfile -t up <"$dir/ready"
		if [ "${#up[@]}" -eq 0 ]; then echo none; fi
		for i in "${up[@]}"; do
			curl -s -o /dev/null -w '%{http_code}\n' --max-time 20 -H "Authorization: Bearer $KEY" \
				"http://127.0.0.1:$((port + i))/api/client/v1/interviews?limit=5" || true
		done
		sleep 0.1
	done >"$dir/statuses"
}

start 0 "$old"
start 1 "$old"
printf '0\n1\n' >"$dir/ready"
touch "$dir/go"
balance & balancer=$!
load & caller=$!
sleep 1
DATABASE_URL=$DATABASE_OWNER_URL "$new" migrate 2>>"$dir/log"
for i in 0 1; do
	sleep 1
	kill -TERM "${server[$i]}" # not ready at once, and accepting until the drain delay is over
	wait "${server[$i]}"
	start "$i" "$new"
done
upgraded=$(grep -c . "$dir/statuses")
sleep 1
rm "$dir/go"
wait "$caller" "$balancer"
echo "$(grep -c . "$dir/statuses") requests"
# A key that has used up its hour is answered too.
echo "$(grep -cvE '^(200|429)$' "$dir/statuses" || true) failed requests"
if ! tail -n "+$((upgraded + 1))" "$dir/statuses" | grep -q '^200$'; then
	echo "NEW answered no request with data: KEY's hour may be used up, take another" >&2
	exit 1
fi
! grep -qvE '^(200|429)$' "$dir/statuses"

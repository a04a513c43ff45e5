#!/bin/sh
# Checks the rules, runs their tests and parses every query of the dashboards, with the promtool of Prometheus 2.42 or newer
# (Debian: the package prometheus). Outside of `npm test`, which needs no other program; `npm run test:alerts` runs it.
set -eu
cd "$(dirname "$0")"
command -v promtool >/dev/null || { echo 'promtool is not installed: it comes with Prometheus' >&2; exit 1; }

promtool check rules alerts.yml
promtool test rules alerts.test.yml

queries=$(mktemp)
trap 'rm -f "$queries"' EXIT
node dashboard-queries.mjs > "$queries"
promtool check rules "$queries"

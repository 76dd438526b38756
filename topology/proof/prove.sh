#!/usr/bin/env bash
# Proves zones.smt2 with z3, and shows that the proof fails without any of its guards.
set -euo pipefail
cd "$(dirname "$0")"
model=${1:-zones.smt2}

solve() { z3 -T:60 -in | paste -d : - -; } # each obligation and its answer on a line

answers=$(solve <"$model")
echo "$answers"
wrong=$(awk -F: '{ want = /: sat:/ ? "sat" : "unsat" } $NF != want' <<<"$answers")
if [ -n "$wrong" ] || [ "$(grep -c . <<<"$answers")" -ne 7 ]; then
	echo "NOT PROVED: $wrong"
	exit 1
fi

guards=$(sed -n 's/^(define-fun guard-\([a-z-]*\) () Bool true).*/\1/p' "$model")
[ -n "$guards" ] || { echo "NOT CHECKED: $model has no guards"; exit 1; }
for guard in $guards; do
	broken=$(sed "s/(define-fun guard-$guard () Bool true)/(define-fun guard-$guard () Bool false)/" "$model" | solve | grep -v ': sat:' | grep ':sat$' || true)
	if [ -z "$broken" ]; then
		echo "NOT NEEDED: without the guard $guard, the proof still holds, so it does not say what it seems to say"
		exit 1
	fi
	echo "without guard $guard, there is a counterexample: ${broken%%:*}"
done

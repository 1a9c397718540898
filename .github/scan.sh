#!/usr/bin/env bash
# Runs the scans of action.yml and leaves the exit code to its last step, so that reports are uploaded first.
set -euo pipefail

program="$ACTION_PATH/dist/cli.mjs"
mapfile -t paths < <(printf '%s\n' "$INPUT_PATHS" | sed '/^[[:space:]]*$/d')
options=(--fail-on "$INPUT_FAIL_ON" --min-severity "$INPUT_MIN_SEVERITY" --ruleset "$INPUT_RULESET")
if [ -n "${BASE_SHA:-}" ]; then
  # The pull request could bring comments and a configuration that suppress what it adds.
  options+=(--no-suppressions --config none)
fi
if [ -n "$INPUT_BASELINE" ]; then
  options+=(--baseline "$INPUT_BASELINE")
elif [ "$INPUT_DIFF" = true ] && [ -n "${BASE_SHA:-}" ]; then
  options+=(--diff "$BASE_SHA")
fi

code=0
format=concise
if [ "$INPUT_ANNOTATIONS" = true ]; then format=github; fi
node "$program" scan "${options[@]}" --format "$format" -- "${paths[@]}" || code=$?
echo "exit-code=$code" >> "$GITHUB_OUTPUT"
# Usage errors would only be repeated by the other formats.
if [ "$code" -eq 2 ]; then exit 0; fi

if [ "$INPUT_SUMMARY" = true ]; then
  node "$program" scan "${options[@]}" --format markdown --fail-on never -o "$RUNNER_TEMP/chainbreak.md" -- "${paths[@]}" || true
  # GitHub takes a mebibyte.
  if [ -f "$RUNNER_TEMP/chainbreak.md" ]; then head -c 1000000 "$RUNNER_TEMP/chainbreak.md" >> "$GITHUB_STEP_SUMMARY"; fi
fi
if [ "$INPUT_SARIF" = true ]; then
  node "$program" scan "${options[@]}" --format sarif --fail-on never -o "$RUNNER_TEMP/chainbreak.sarif" -- "${paths[@]}" || true
  if [ -f "$RUNNER_TEMP/chainbreak.sarif" ]; then echo "sarif-file=$RUNNER_TEMP/chainbreak.sarif" >> "$GITHUB_OUTPUT"; fi
fi

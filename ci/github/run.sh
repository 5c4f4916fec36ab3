#!/usr/bin/env bash
# Runs one command of gatewright in a step of GitHub Actions: its reports go to files, to annotations and to the summary, what
# became of it to the outputs of the step.
set -euo pipefail

if [[ ! $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]]; then
  echo "version: $VERSION is no exact version, such as 1.2.3" >&2
  exit 1
fi
case $COMMAND in
  plan) words=(plan --exit-code --out gatewright.plan.json) ;;
  apply) words=(apply gatewright.plan.json --yes) ;;
  validate | drift) words=("$COMMAND") ;;
  *)
    echo "command: $COMMAND is none of validate, plan, apply, drift" >&2
    exit 1
    ;;
esac
[ -z "$ENVIRONMENT" ] || words+=(-e "$ENVIRONMENT")
read -ra more <<< "$OPTIONS"

program="$RUNNER_TEMP/gatewright-$VERSION"
if [ ! -d "$program" ]; then
  npm install --prefix "$program" --ignore-scripts --no-audit --no-fund --silent "gatewright@$VERSION"
fi
# What a pull request takes out of the project still holds: guard rails, policies, and where credentials may go.
if [[ $COMMAND == plan && $EVENT == pull_request* && -z ${GATEWRIGHT_GUARD_REF:-} ]]; then
  git fetch --quiet --depth=1 origin "+refs/heads/$DEFAULT_BRANCH:refs/remotes/origin/$DEFAULT_BRANCH"
  export GATEWRIGHT_GUARD_REF="origin/$DEFAULT_BRANCH"
fi
reports=$(mktemp -d "$RUNNER_TEMP/gatewright-$COMMAND-XXXXXX")
words+=(--report github --report "junit=$reports/$COMMAND.xml" --report "html=$reports/$COMMAND.html")
# A comment has room for 65,536 characters.
words+=(--report "markdown=$reports/$COMMAND.md:60000")
case $COMMAND in
  validate | drift) words+=(--report "sarif=$reports/$COMMAND.sarif") ;;
esac
code=0
"$program/node_modules/.bin/gatewright" "${words[@]}" ${more[@]+"${more[@]}"} || code=$?

changes=false
if [ "$COMMAND" = plan ]; then
  case $code in
    2) changes=true ;;
    # The first apply records what is there, even if nothing would change: without that base nothing is ever deleted.
    0) ! grep -q '^  "base": null' gatewright.plan.json || changes=true ;;
  esac
fi
{
  echo "exit-code=$code"
  echo "changes=$changes"
  echo "reports=$reports"
} >> "$GITHUB_OUTPUT"
# A plan with changes is no failure.
[ "$changes" = true ] || exit "$code"

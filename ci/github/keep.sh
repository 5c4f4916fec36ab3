#!/usr/bin/env bash
# usage: keep.sh comment|issue FILE
# Keeps one comment on the pull request, or one open issue, with the text of a report. An earlier one is found by its author and
# its first line, which is the same even if the project file has errors.
set -euo pipefail

kind=$1 file=$2
if [ ! -s "$file" ]; then
  echo 'There is no report: the log says why.'
  exit 0
fi
export MARKER="<!-- gatewright $kind $DIRECTORY ${ENVIRONMENT:-${GATEWRIGHT_ENV-}} -->"
# The token of a workflow or of an app belongs to a bot, and cannot read its user; that of a person can.
LOGIN=$(gh api user --jq .login 2> /dev/null) || LOGIN=
export LOGIN
run="$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID"
body=$(mktemp)
{
  echo "$MARKER"
  cat "$file"
  printf '\n%s[run](%s)\n' "${COMMIT:+$COMMIT, }" "$run"
} > "$body"
own='.[] | select((.user.type == "Bot" or .user.login == env.LOGIN) and (.body // "" | startswith(env.MARKER))) | '

case $kind in
  comment)
    comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
    id=$(gh api --paginate "$comments?per_page=100" --jq "$own.id")
    id=${id%%$'\n'*}
    if [ -n "$id" ]; then
      gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F body=@"$body" > /dev/null
    else
      gh api --method POST "$comments" -F body=@"$body" > /dev/null
    fi
    ;;
  issue)
    issues="repos/$GITHUB_REPOSITORY/issues"
    number=$(gh api --paginate "$issues?state=open&per_page=100" --jq "$own.number")
    number=${number%%$'\n'*}
    case $CODE/$number in
      2/) gh api --method POST "$issues" -f title='Drift from git' -F body=@"$body" > /dev/null ;;
      2/*) gh api --method PATCH "$issues/$number" -F body=@"$body" > /dev/null ;;
      0/?*) gh api --method PATCH "$issues/$number" -f state=closed -F body=@"$body" > /dev/null ;;
    esac
    ;;
esac

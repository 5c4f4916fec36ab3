#!/usr/bin/env bash
# Whatever it is called: the process of the test says what becomes of it (served.ts). A program in Node takes ten times as long.
exec 3<>"/dev/tcp/127.0.0.1/$SERVED_PORT"
{
  printf '%s\0' "${0##*/}" "$PWD" "$#" "$@"
  env -0
  printf '\0'
} >&3
eval "$(cat <&3)"

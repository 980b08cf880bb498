# shellcheck shell=bash
# Sourced by the scripts beside it: goes to the root of the package and offers a few words to speak with.
# Written for bash 3.2 as well, which is what macOS has.

script="$(basename "$0")"
# shellcheck disable=SC2034 # for those scripts whose arguments may name files
caller_folder="$PWD"
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

say() { printf '%s\n' "$*" >&2; }

die() {
    say "$script: $*"
    exit 1
}

# Everything that tests and benchmarks talk to is on this machine, and proxy settings do not exempt loopback.
without_proxy() {
    unset http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
}

# help_of FILE ARGUMENTS: prints the help of a program that is still to be built, if the arguments ask for it, and ends.
help_of() {
    local source="$1" argument
    shift
    for argument in ${1+"$@"}; do
        case "$argument" in
            -h | --help)
                sed -n '/^ *usage: scripts/,/^ *"""/p' "$source" | sed '$d; s/^        //'
                exit 0
                ;;
        esac
    done
}

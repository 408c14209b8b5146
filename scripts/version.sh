# For other scripts to source: the version of the sources, and where it stands.

# Where the sources declare the version: the file, and the text before the version.
version_places=(
    'Sources/CaretConfig/Version.swift:LogWord = "'
    'Clients/javascript/package.json:"version": "'
    'Clients/python/src/caret_client/__init__.py:__version__ = "'
)

# declared PLACE: prints the version that stands there.
declared() { sed -n "s/.*${1#*:}\([0-9][0-9.]*\)\".*/\1/p" "${1%%:*}"; }

# Prints the version that the server has.
server_version() { declared "${version_places[0]}"; }

# The pages that name files of a release, and what a server says. Reports and decisions are about the version of their day.
version_pages() { git ls-files README.md Clients docs | grep -E '\.md$' | grep -vE '^docs/(report|decisions)/'; }

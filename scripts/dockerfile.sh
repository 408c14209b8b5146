# Reads the Dockerfile, for scripts that follow it without Docker. Sourced in the folder of the repository.
# shellcheck shell=bash disable=SC2034

# Prints its instructions, one a line, without comments and with continued lines joined.
instructions() { sed -e '/^#/d' -e '/^ *$/d' Dockerfile | sed -e ':a' -e '/\\$/{N;s/ *\\\n */ /;ba' -e '}'; }

# stage NAME: prints the instructions of the stage 'build' or 'last'.
stage() {
    instructions | awk -v wanted="$1" '/^FROM/ { name = ($3 == "AS") ? $4 : "last" } name == wanted'
}

# words KIND: prints the arguments of the instructions of this kind in the last stage.
words() { stage last | sed -nE "s/^$1 +//p"; }

# Prints the words of a command in JSON form: ["a", "b"].
in_json() { sed -E 's/^.*\[|\].*$//g; s/"([^"]*)",? */\1 /g' <<<"$1"; }

# The packages that the image has beside those of its base.
read -ra image_packages < <(words RUN | sed -nE 's/.*--no-install-recommends (.*) && rm.*/\1/p')
mapfile -t environment < <(words ENV | tr ' ' '\n')
user=$(words USER)
volume=$(words VOLUME)
read -ra entrypoint < <(in_json "$(words ENTRYPOINT)")
read -ra health < <(in_json "$(words HEALTHCHECK)")

# Caret as an image: the server, and the command line to look after it. How it is run: docs/operations.md.
#
#   docker build -t caret .
#
# scripts/test-image follows these steps without Docker.

FROM swift:6.3-bookworm AS build
WORKDIR /build
COPY scripts/install-packages scripts/
RUN scripts/install-packages static
COPY Package.swift ./
COPY migrations migrations
COPY Sources Sources
# The server contains its JavaScript client.
COPY Clients/javascript Clients/javascript
# The manifest names the targets of the tests and of an example; they are not built here.
COPY Tests Tests
COPY Examples/terminal Examples/terminal
# docker build --build-arg CARET_COMMIT=$(git rev-parse --short=12 HEAD) lets --version name the commit.
ARG CARET_COMMIT
RUN swift build -c release --static-swift-stdlib --product caretd && \
    swift build -c release --static-swift-stdlib --product caret && \
    strip .build/release/caretd .build/release/caret

FROM debian:bookworm-slim
RUN apt-get update && \
    apt-get install --yes --no-install-recommends libpq5 libsqlite3-0 libssl3 && \
    rm -rf /var/lib/apt/lists/*
# Nobody else's number, and no name: nobody logs in here.
RUN install --directory --owner=22738 --group=22738 --mode=0700 /data
COPY --from=build /build/.build/release/caretd /build/.build/release/caret /usr/local/bin/
# Other machines reach a container, so nobody gets in without a token.
ENV CARET_DATA=/data CARET_LISTEN=0.0.0.0:22738 CARET_REQUIRE_TOKENS=true
USER 22738:22738
VOLUME /data
EXPOSE 22738
# By the socket, where no token is needed. By --data a stopped server would be answered for by its files.
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s CMD ["caret", "ping", "--socket", "/data/caretd.sock"]
ENTRYPOINT ["caretd"]

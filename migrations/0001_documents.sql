-- Documents with their histories: docs/storage.md says what each row means.

CREATE TABLE store (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    generation INTEGER NOT NULL,
    -- How many groups were committed.
    commits    INTEGER NOT NULL,
    -- When this file was made as a backup; null in one that a server works with.
    backup     INTEGER
) STRICT;

CREATE TABLE document (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       BLOB    NOT NULL,
    epoch      INTEGER NOT NULL,
    head       INTEGER NOT NULL,
    start      INTEGER NOT NULL,
    utf8       INTEGER NOT NULL,
    utf16      INTEGER NOT NULL,
    scalars    INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    line_break INTEGER NOT NULL,
    -- The chain value at the head.
    chain      BLOB    NOT NULL,
    -- The revision of the newest snapshot; 0 where there is none.
    snapshot   INTEGER NOT NULL,
    -- How many segments were appended since segments were last merged.
    loose      INTEGER NOT NULL,
    -- What the changes behind the newest snapshot weigh.
    behind     INTEGER NOT NULL,
    -- When it was deleted; null while it lives, 0 while it is being removed.
    deleted    INTEGER,
    -- Of all the columns before.
    sum        INTEGER NOT NULL
) STRICT;

-- A deleted document leaves its name to another.
CREATE UNIQUE INDEX document_name ON document (name) WHERE deleted IS NULL;

CREATE INDEX document_deleted ON document (id) WHERE deleted IS NOT NULL;

CREATE TABLE author (
    id     INTEGER PRIMARY KEY,
    user   BLOB NOT NULL,
    client BLOB NOT NULL,
    UNIQUE (user, client)
) STRICT;

-- Appended in the order of commits: faster than rows clustered by document once many documents are hot.
CREATE TABLE segment (
    id       INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES document (id),
    first    INTEGER NOT NULL,
    last     INTEGER NOT NULL,
    -- The latest of its changes' times.
    time     INTEGER NOT NULL,
    body     BLOB    NOT NULL,
    before   BLOB    NOT NULL,
    after    BLOB    NOT NULL
) STRICT;

CREATE UNIQUE INDEX segment_place ON segment (document, first);

CREATE TABLE snapshot (
    document INTEGER NOT NULL REFERENCES document (id),
    revision INTEGER NOT NULL,
    body     BLOB    NOT NULL,
    digest   BLOB    NOT NULL,
    chain    BLOB    NOT NULL,
    PRIMARY KEY (document, revision)
) STRICT, WITHOUT ROWID;

CREATE TABLE pusher (
    document INTEGER NOT NULL REFERENCES document (id),
    author   INTEGER NOT NULL REFERENCES author (id),
    seq      INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    digest   BLOB    NOT NULL,
    used     INTEGER NOT NULL,
    -- Of the other columns and the author's.
    sum      INTEGER NOT NULL,
    PRIMARY KEY (document, author)
) STRICT, WITHOUT ROWID;

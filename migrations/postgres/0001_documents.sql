-- Documents with their histories, tokens and names of revisions: docs/storage.md says what each row means.

CREATE TABLE store (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    generation bigint  NOT NULL,
    -- The database cluster and its timeline, as the last server saw them.
    cluster    bigint  NOT NULL,
    timeline   bigint  NOT NULL
);

-- Each server that has used the store.
CREATE TABLE node (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name   text   NOT NULL UNIQUE
);

-- How many commits each connection of a server was told of.
CREATE TABLE lane (
    node    bigint NOT NULL,
    lane    bigint NOT NULL,
    commits bigint NOT NULL,
    PRIMARY KEY (node, lane)
) WITH (fillfactor = 20);

-- An append changes no column of an index, so PostgreSQL needs no new index entries for it.
CREATE TABLE document (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       bytea  NOT NULL,
    epoch      bigint NOT NULL,
    head       bigint NOT NULL,
    start      bigint NOT NULL,
    utf8       bigint NOT NULL,
    utf16      bigint NOT NULL,
    scalars    bigint NOT NULL,
    updated    bigint NOT NULL,
    line_break bigint NOT NULL,
    -- The chain value at the head.
    chain      bytea  NOT NULL,
    -- The revision of the newest snapshot; 0 if there is none.
    snapshot   bigint NOT NULL,
    -- The number of appended segments that are not merged yet; may be too high.
    loose      bigint NOT NULL,
    -- The size of the changes after the newest snapshot.
    behind     bigint NOT NULL,
    -- When the document was deleted; null if it is not deleted, 0 while it is being removed.
    deleted    bigint
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- The name of a deleted document is free.
CREATE UNIQUE INDEX document_name ON document (name) WHERE deleted IS NULL;

CREATE INDEX document_deleted ON document (id) WHERE deleted IS NOT NULL;

CREATE TABLE author (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    username bytea NOT NULL,
    client   bytea NOT NULL,
    UNIQUE (username, client)
);

CREATE TABLE segment (
    document bigint NOT NULL,
    first    bigint NOT NULL,
    last     bigint NOT NULL,
    -- The latest time of its changes.
    time     bigint NOT NULL,
    body     bytea  NOT NULL,
    before   bytea  NOT NULL,
    after    bytea  NOT NULL,
    PRIMARY KEY (document, first)
) WITH (autovacuum_vacuum_scale_factor = 0.02);

-- Merged segments are compressed already.
ALTER TABLE segment ALTER body SET STORAGE EXTERNAL;

CREATE TABLE snapshot (
    document bigint NOT NULL,
    revision bigint NOT NULL,
    body     bytea  NOT NULL,
    digest   bytea  NOT NULL,
    chain    bytea  NOT NULL,
    PRIMARY KEY (document, revision)
);

ALTER TABLE snapshot ALTER body SET STORAGE EXTERNAL;

CREATE TABLE pusher (
    document bigint NOT NULL,
    author   bigint NOT NULL,
    seq      bigint NOT NULL,
    revision bigint NOT NULL,
    digest   bytea  NOT NULL,
    used     bigint NOT NULL,
    PRIMARY KEY (document, author)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE tag (
    document bigint NOT NULL,
    name     bytea  NOT NULL,
    revision bigint NOT NULL,
    -- Who named the revision, and when.
    username bytea  NOT NULL,
    time     bigint NOT NULL,
    PRIMARY KEY (document, name)
);

CREATE TABLE token (
    -- Never used again: sessions and logs know a token by its number.
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    username bytea  NOT NULL,
    -- The SHA-256 of its text, which is stored nowhere.
    digest   bytea  NOT NULL,
    created  bigint NOT NULL,
    expires  bigint,
    grants   bytea  NOT NULL,
    -- When the token was last used.
    used     bigint
);

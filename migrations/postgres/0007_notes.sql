-- Notes on words of documents: docs/storage.md says what each row means.

-- A server of an earlier version removes a document without its notes, so they go with the document.
CREATE TABLE notebook (
    document bigint PRIMARY KEY REFERENCES document (id) ON DELETE CASCADE,
    counter  bigint NOT NULL,
    last     bigint NOT NULL,
    removed  bigint NOT NULL,
    notes    bigint NOT NULL,
    bytes    bigint NOT NULL
);

CREATE TABLE note (
    document bigint NOT NULL REFERENCES document (id) ON DELETE CASCADE,
    number   bigint NOT NULL,
    version  bigint NOT NULL,
    counter  bigint NOT NULL,
    -- The note that it answers.
    parent   bigint,
    state    bigint NOT NULL,
    username bytea  NOT NULL,
    time     bigint NOT NULL,
    edited   bigint,
    -- How many bytes it counts towards the limit of its document.
    weight   bigint NOT NULL,
    -- The revision to whose text the place belongs; null if the note has no place.
    revision bigint,
    place    bytea  NOT NULL,
    quote    bytea  NOT NULL,
    body     bytea  NOT NULL,
    -- The id of the request that wrote it, by which a repeat is recognised.
    request  bytea  NOT NULL,
    PRIMARY KEY (document, number)
);

CREATE UNIQUE INDEX note_request ON note (document, request) WHERE length(request) > 0;

-- The places that move with the text.
CREATE INDEX note_place ON note (document, revision) WHERE revision IS NOT NULL AND state < 2;

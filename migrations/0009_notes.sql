-- Notes on words of documents: docs/storage.md says what each row means.

CREATE TABLE notebook (
    document INTEGER PRIMARY KEY REFERENCES document (id),
    counter  INTEGER NOT NULL,
    last     INTEGER NOT NULL,
    removed  INTEGER NOT NULL,
    notes    INTEGER NOT NULL,
    bytes    INTEGER NOT NULL,
    -- Of all the columns before.
    sum      INTEGER NOT NULL
) STRICT;

CREATE TABLE note (
    document INTEGER NOT NULL REFERENCES document (id),
    number   INTEGER NOT NULL,
    version  INTEGER NOT NULL,
    counter  INTEGER NOT NULL,
    -- The note that it answers.
    parent   INTEGER,
    state    INTEGER NOT NULL,
    user     BLOB    NOT NULL,
    time     INTEGER NOT NULL,
    edited   INTEGER,
    -- How many bytes it counts towards the limit of its document.
    weight   INTEGER NOT NULL,
    -- The revision to whose text the place belongs; null if the note has no place.
    revision INTEGER,
    place    BLOB    NOT NULL,
    quote    BLOB    NOT NULL,
    body     BLOB    NOT NULL,
    -- The id of the request that wrote it, by which a repeat is recognised.
    request  BLOB    NOT NULL,
    -- Of all the columns before.
    sum      INTEGER NOT NULL,
    PRIMARY KEY (document, number)
) STRICT;

CREATE UNIQUE INDEX note_request ON note (document, request) WHERE length(request) > 0;

-- The places that move with the text.
CREATE INDEX note_place ON note (document, revision) WHERE revision IS NOT NULL AND state < 2;

-- Names of revisions: docs/storage.md says what each row means.

CREATE TABLE tag (
    document INTEGER NOT NULL REFERENCES document (id),
    name     BLOB    NOT NULL,
    revision INTEGER NOT NULL,
    -- Who named the revision, and when.
    user     BLOB    NOT NULL,
    time     INTEGER NOT NULL,
    -- Of all the columns before.
    sum      INTEGER NOT NULL,
    PRIMARY KEY (document, name)
) STRICT, WITHOUT ROWID;

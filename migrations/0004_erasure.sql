-- Removed text that the files may still contain: docs/storage.md says what each row means.

-- The only row exists from a redaction until the store has rewritten its files.
CREATE TABLE erasure (
    one       INTEGER PRIMARY KEY CHECK (one = 1),
    requested INTEGER NOT NULL
) STRICT;

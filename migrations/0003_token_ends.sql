-- Ends and last uses of tokens: docs/storage.md says what each row means.

-- A row for each token that has an end. The checksum of the token covers the end.
CREATE TABLE token_end (
    token   INTEGER PRIMARY KEY,
    expires INTEGER NOT NULL
) STRICT;

-- A row for each token that was used.
CREATE TABLE token_use (
    token INTEGER PRIMARY KEY,
    used  INTEGER NOT NULL
) STRICT;

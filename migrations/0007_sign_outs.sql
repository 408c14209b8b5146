-- Sign-outs of signed tokens: docs/storage.md says what each row means.

CREATE TABLE sign_out (
    -- Always higher than that of every earlier row, because the newest row stays until there is a newer one.
    number INTEGER PRIMARY KEY,
    -- 0 if the name is that of a user, 1 if it is the id of a token.
    kind   INTEGER NOT NULL,
    name   BLOB    NOT NULL,
    before INTEGER NOT NULL,
    -- Of all the columns before.
    sum    INTEGER NOT NULL
) STRICT;

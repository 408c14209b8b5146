-- Tokens, by which users are known: docs/storage.md says what each row means.

CREATE TABLE token (
    -- Never given again: open sessions and logs know a token by it.
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user       BLOB    NOT NULL,
    -- The SHA-256 of its text, which is kept nowhere.
    digest     BLOB    NOT NULL,
    created    INTEGER NOT NULL,
    grants_sum INTEGER NOT NULL,
    -- Of all the columns before.
    sum        INTEGER NOT NULL,
    -- Last, since they may be long, and are read for nobody who has not shown the token.
    grants     BLOB    NOT NULL
) STRICT;

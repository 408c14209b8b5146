-- Sign-outs of signed tokens: docs/storage.md says what each row means.

CREATE TABLE sign_out (
    -- Always higher than that of every earlier row, because the newest row stays until there is a newer one.
    number bigint PRIMARY KEY,
    -- 0 if the name is that of a user, 1 if it is the id of a token.
    kind   bigint NOT NULL,
    name   bytea  NOT NULL,
    before bigint NOT NULL
);

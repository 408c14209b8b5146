-- What a copy of the tables cannot carry: docs/storage.md says what each row means.

-- The object ids of the database and of this table, as the last server saw them; 0 if none has looked.
ALTER TABLE store ADD COLUMN place bigint NOT NULL DEFAULT 0;

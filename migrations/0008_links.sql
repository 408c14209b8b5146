-- Links to documents, which are tokens: docs/storage.md says what each row means.

-- The name of a link's user begins with the number of the document. A rename and a deletion end the links by it.
CREATE INDEX token_user ON token (user);

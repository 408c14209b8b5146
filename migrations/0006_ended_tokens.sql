-- Tokens that were found ended: docs/storage.md says what each row means.

-- 1 once a server has found the end passed. The token then stays ended, whatever the clock says later.
ALTER TABLE token_end ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;

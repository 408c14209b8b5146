-- Tokens that were found ended: docs/storage.md says what each row means.

-- 1 once a server has found the end passed. The token then stays ended, whatever the clock says later.
ALTER TABLE token ADD COLUMN ended bigint NOT NULL DEFAULT 0;

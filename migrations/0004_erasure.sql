-- Removed text that the files may still contain: docs/storage.md says what the column means.

ALTER TABLE store ADD COLUMN erasure INTEGER;

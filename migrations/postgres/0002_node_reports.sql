-- What each server last said of itself, for the list of servers.

ALTER TABLE node
    ADD COLUMN address     text   NOT NULL DEFAULT '',
    ADD COLUMN version     text   NOT NULL DEFAULT '',
    -- When it started, by its own clock.
    ADD COLUMN started     bigint NOT NULL DEFAULT 0,
    -- When it reported last, by the clock of PostgreSQL; null if it has stopped.
    ADD COLUMN seen        bigint,
    ADD COLUMN connections bigint NOT NULL DEFAULT 0,
    ADD COLUMN documents   bigint NOT NULL DEFAULT 0;

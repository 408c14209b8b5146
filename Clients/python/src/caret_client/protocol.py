# Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.
"""The error codes, requests and messages of the protocol. docs/protocol/messages.md explains them."""

from __future__ import annotations

Field = tuple[str, str, bool]
"""The name of a field, the kind of its value, and whether it must be there. A kind may name a part after a colon."""

ERROR_CODES = frozenset(
    {
        "bad_json", "bad_message", "unknown_type", "line_too_long", "hello_required", "hello_timeout", "already_hello",
        "unsupported_protocol", "unauthorized", "token_ended", "rate_limited", "shutting_down", "overloaded",
        "bad_name", "not_found", "exists", "forbidden", "not_open", "already_open", "damaged", "bad_range", "bad_text",
        "bad_edits", "base_ahead", "base_behind", "base_trimmed", "base_before_own_push", "push_in_flight",
        "epoch_changed", "seq_reused", "too_large", "storage_full", "storage_failed", "internal",
    }
)
"""All error codes of the server."""

CLOSING_CODES = frozenset(
    {
        "line_too_long", "hello_required", "hello_timeout", "unsupported_protocol", "unauthorized", "token_ended",
        "shutting_down",
    }
)
"""After an error with one of these codes, the server closes the connection."""

FINAL_CODES = frozenset(
    {
        "bad_json", "bad_message", "unknown_type", "line_too_long", "unsupported_protocol", "unauthorized", "forbidden",
        "too_large",
    }
)
"""After an error with one of these codes, the server would refuse the same `hello` again."""

REPEATABLE_REQUESTS = frozenset(
    {
        "ping", "push", "list", "read", "history", "blame", "restore", "list_deleted", "list_tags", "add_note",
        "list_notes", "list_links",
    }
)
"""Repeating one of these requests does no harm. The server recognises a repeated push by its number."""

SERVER_MESSAGES: dict[str, tuple[Field, ...]] = {
    "welcome": (
        ("protocol", "integer", True),
        ("unit", "string", True),
        ("server", "string", True),
        ("user", "string", True),
        ("client", "string", False),
        ("features", "strings", False),
        ("limits", "object:Limits.Announced", True),
        ("ping", "integer", True),
        ("page", "string", False),
        ("store", "string", False),
        ("node", "string", False),
        ("rights", "string", False),
        ("grants", "objects:WireGrant", False),
        ("expires", "integer", False),
        ("expires_in_ms", "integer", False),
        ("info", "object", False),
    ),
    "authenticated": (
        ("user", "string", True),
        ("changed", "boolean", False),
        ("rights", "string", False),
        ("grants", "objects:WireGrant", False),
        ("expires", "integer", False),
        ("expires_in_ms", "integer", False),
    ),
    "ping": (),
    "pong": (),
    "bye": (
        ("reason", "string", True),
        ("retry_after_ms", "integer", False),
    ),
    "error": (
        ("doc", "string", False),
        ("seq", "integer", False),
        ("code", "string", True),
        ("message", "string", True),
        ("epoch", "string", False),
        ("rev", "integer", False),
        ("cause", "string", False),
        ("retry_after_ms", "integer", False),
    ),
    "opened": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("text", "string", False),
        ("resumed", "boolean", False),
        ("rights", "string", True),
        ("newline", "string", True),
        ("peers", "objects:Peer", False),
        ("own", "object:OwnPush", False),
    ),
    "closed": (
        ("doc", "string", True),
    ),
    "ack": (
        ("doc", "string", True),
        ("seq", "integer", True),
        ("epoch", "string", False),
        ("rev", "integer", True),
        ("edits", "edits", False),
        ("text", "string", False),
        ("unchanged", "boolean", False),
        ("duplicate", "boolean", False),
    ),
    "change": (
        ("doc", "string", True),
        ("rev", "integer", True),
        ("from", "integer", False),
        ("edits", "edits", True),
        ("user", "string", False),
        ("client", "string", False),
        ("time", "integer", False),
    ),
    "resync": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("text", "string", True),
        ("reason", "string", True),
        ("own", "object:OwnPush", False),
    ),
    "rights": (
        ("doc", "string", True),
        ("rights", "string", True),
    ),
    "check": (
        ("doc", "string", True),
        ("rev", "integer", True),
        ("length", "integer", True),
        ("crc32", "string", True),
    ),
    "gone": (
        ("doc", "string", True),
        ("epoch", "string", False),
        ("reason", "string", True),
        ("to", "string", False),
        ("followed", "boolean", False),
    ),
    "peer": (
        ("doc", "string", True),
        ("session", "string", True),
        ("user", "string", False),
        ("client", "string", False),
        ("info", "object", False),
        ("rev", "integer", False),
        ("selections", "selections", False),
        ("left", "boolean", False),
    ),
    "listed": (
        ("docs", "objects:DocumentSummary", True),
        ("more", "boolean", False),
    ),
    "document": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("length", "integer", True),
        ("updated", "integer", True),
    ),
    "done": (),
    "text": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("text", "string", True),
        ("newline", "string", True),
        ("start", "integer", False),
        ("length", "integer", False),
    ),
    "revisions": (
        ("doc", "string", True),
        ("revisions", "objects:RevisionSummary", True),
        ("more", "boolean", False),
    ),
    "blamed": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("ranges", "objects:BlamedLines", True),
        ("more", "boolean", False),
    ),
    "deleted": (
        ("docs", "objects:DeletedDocument", True),
        ("more", "boolean", False),
    ),
    "tags": (
        ("doc", "string", True),
        ("tags", "objects:TagList.Item", True),
    ),
    "note_written": (
        ("doc", "string", True),
        ("note", "integer", True),
        ("version", "integer", True),
        ("rev", "integer", False),
    ),
    "notes": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("count", "integer", True),
        ("whole", "boolean", False),
        ("rights", "string", True),
        ("notes", "objects:NoteSummary", True),
        ("more", "boolean", False),
    ),
    "noted": (
        ("doc", "string", True),
    ),
    "tokens": (
        ("tokens", "objects:TokenSummary", True),
        ("more", "boolean", False),
    ),
    "token_added": (
        ("number", "integer", True),
        ("token", "string", True),
    ),
    "counted": (
        ("since", "integer", True),
        ("counters", "objects:CounterValues.Counter", True),
        ("latencies", "objects:CounterValues.Latency", True),
    ),
    "present": (
        ("connections", "objects:ConnectionSummary", True),
        ("more", "boolean", False),
    ),
    "nodes": (
        ("nodes", "objects:ServerSummary", True),
    ),
    "trimmed": (
        ("doc", "string", True),
        ("start", "integer", True),
        ("revisions", "integer", True),
        ("dry_run", "boolean", False),
    ),
    "redacted": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("containing", "integer", True),
        ("notes", "integer", False),
        ("in_head", "integer", True),
        ("changed", "integer", True),
        ("authors", "objects:Redacted.Author", True),
        ("backups", "strings", True),
        ("more", "boolean", False),
        ("erased", "boolean", False),
        ("dry_run", "boolean", False),
    ),
    "progress": (
        ("done", "integer", True),
        ("of", "integer", True),
    ),
    "verified": (
        ("documents", "integer", True),
        ("revisions", "integer", True),
        ("findings", "objects:Verified.Finding", True),
        ("more", "boolean", False),
    ),
    "backed_up": (
        ("file", "string", True),
        ("bytes", "integer", True),
        ("documents", "integer", True),
    ),
}
"""The fields of every message of the server."""

PARTS: dict[str, tuple[Field, ...]] = {
    "BlamedLines": (
        ("line", "integer", True),
        ("lines", "integer", True),
        ("rev", "integer", True),
        ("user", "string", False),
        ("client", "string", False),
        ("time", "integer", False),
    ),
    "ConnectionSummary": (
        ("number", "integer", True),
        ("user", "string", True),
        ("client", "string", True),
        ("peer", "string", False),
        ("since", "integer", True),
        ("docs", "strings", True),
        ("behind", "strings", False),
    ),
    "CounterValues.Bucket": (
        ("below", "integer", True),
        ("count", "integer", True),
    ),
    "CounterValues.Counter": (
        ("name", "string", True),
        ("value", "integer", True),
    ),
    "CounterValues.Latency": (
        ("name", "string", True),
        ("count", "integer", True),
        ("p50", "integer", True),
        ("p99", "integer", True),
        ("max", "integer", True),
        ("sum", "integer", False),
        ("buckets", "objects:CounterValues.Bucket", False),
    ),
    "DeletedDocument": (
        ("number", "integer", True),
        ("doc", "string", True),
        ("rev", "integer", True),
        ("length", "integer", True),
        ("updated", "integer", True),
        ("deleted", "integer", True),
    ),
    "DocumentSummary": (
        ("doc", "string", True),
        ("epoch", "string", True),
        ("rev", "integer", True),
        ("length", "integer", True),
        ("updated", "integer", True),
    ),
    "Limits.Announced": (
        ("line", "integer", False),
        ("document", "integer", False),
        ("edits", "integer", False),
        ("documents", "integer", False),
        ("selections", "integer", False),
        ("pushes_per_second", "integer", False),
    ),
    "NoteSummary": (
        ("note", "integer", True),
        ("version", "integer", True),
        ("parent", "integer", False),
        ("range", "range", False),
        ("quote", "string", True),
        ("text", "string", True),
        ("edits", "edits", False),
        ("user", "string", True),
        ("time", "integer", True),
        ("edited", "integer", False),
        ("state", "string", True),
        ("accepted", "integer", False),
    ),
    "OwnPush": (
        ("seq", "integer", True),
        ("rev", "integer", True),
    ),
    "Peer": (
        ("session", "string", True),
        ("user", "string", True),
        ("client", "string", True),
        ("info", "object", False),
        ("selections", "selections", True),
    ),
    "Redacted.Author": (
        ("user", "string", True),
        ("revisions", "integer", True),
        ("first", "integer", True),
        ("last", "integer", True),
        ("since", "integer", True),
        ("until", "integer", True),
    ),
    "RevisionSummary": (
        ("rev", "integer", True),
        ("user", "string", True),
        ("client", "string", True),
        ("time", "integer", True),
        ("inserted", "integer", True),
        ("deleted", "integer", True),
        ("edits", "edits", False),
    ),
    "ServerSummary": (
        ("name", "string", True),
        ("address", "string", False),
        ("version", "string", True),
        ("since", "integer", True),
        ("silent_ms", "integer", True),
        ("connections", "integer", True),
        ("documents", "integer", True),
        ("answering", "boolean", False),
    ),
    "TagList.Item": (
        ("name", "string", True),
        ("rev", "integer", True),
        ("user", "string", True),
        ("time", "integer", True),
    ),
    "TokenSummary": (
        ("number", "integer", True),
        ("user", "string", False),
        ("created", "integer", False),
        ("expires", "integer", False),
        ("last_use", "integer", False),
        ("grants", "objects:WireGrant", False),
        ("damaged", "boolean", False),
    ),
    "Verified.Finding": (
        ("number", "integer", False),
        ("doc", "string", False),
        ("message", "string", True),
    ),
    "WireGrant": (
        ("rights", "string", True),
        ("doc", "string", False),
        ("prefix", "string", False),
    ),
}
"""The fields of the objects in these messages."""

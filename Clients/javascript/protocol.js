// Made by scripts/protocol.mjs from docs/protocol/protocol.json. Change that file, not this one.

/** All error codes of the server. */
export const errorCodes = [
    'bad_json', 'bad_message', 'unknown_type', 'line_too_long', 'hello_required', 'hello_timeout', 'already_hello',
    'unsupported_protocol', 'unauthorized', 'token_ended', 'rate_limited', 'shutting_down', 'overloaded', 'bad_name',
    'not_found', 'exists', 'forbidden', 'not_open', 'already_open', 'damaged', 'bad_range', 'bad_text', 'bad_edits',
    'base_ahead', 'base_behind', 'base_trimmed', 'base_before_own_push', 'push_in_flight', 'epoch_changed',
    'seq_reused', 'too_large', 'storage_full', 'storage_failed', 'internal',
]

/** After an error with one of these codes, the server closes the connection. */
export const closingCodes = new Set([
    'line_too_long', 'hello_required', 'hello_timeout', 'unsupported_protocol', 'unauthorized', 'token_ended',
    'shutting_down',
])

/** After an error with one of these codes, the server would refuse the same `hello` again. */
export const finalCodes = new Set([
    'bad_json', 'bad_message', 'unknown_type', 'line_too_long', 'unsupported_protocol', 'unauthorized', 'forbidden',
    'too_large',
])

/** Repeating one of these requests does no harm. The server recognises a repeated change by its number. */
export const repeatableRequests = new Set([
    'ping', 'push', 'list', 'read', 'history', 'blame', 'restore', 'list_deleted', 'list_tags', 'add_note',
    'list_notes', 'list_links',
])

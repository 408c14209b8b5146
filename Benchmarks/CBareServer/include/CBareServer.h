#ifndef CARET_CBARESERVER_H
#define CARET_CBARESERVER_H

#include <stddef.h>

// The smallest possible server that shares lines. The real server is compared with it. One thread uses epoll
// and writev, another one writes to the database. It trusts its clients, and ends the process on any failure.
//
// A client sends lines, and is in at most one document:
//   E…         the same line comes back
//   J<number>  joins that document; the answer is J
//   P…         pushes the line to the document it joined: all others in it get the line, and the pusher A
//
// With a database, a push is on disk before any client gets it. All pushes that are waiting when a
// transaction ends go into the next one: one row for each document pushed to, and one for each pusher.

// The database must have these tables, and use a write-ahead log:
//   segment (id INTEGER PRIMARY KEY, document, first, last, time, before, after, body)
//   document (id INTEGER PRIMARY KEY, head, utf8, utf16, scalars, updated, chain)
//   pusher (document, author, seq, revision, used, sum, digest), with (document, author) as its key

/// Serves forever on a non-blocking listening socket. `database` is the path of a database file. With null,
/// nothing is stored.
void caret_bare_serve(int listener, const char *database);

/// Serves with one thread, and with the least work that still syncs. At the end of each turn of its loop, the
/// thread commits the pushes that arrived in this turn: one row for each push. The database must have this table:
///   push (id INTEGER PRIMARY KEY, document, client, line)
void caret_lean_serve(int listener, const char *database);

/// Serves one document over HTTP/1.1 on a non-blocking listening socket, forever, with one thread. It refuses
/// every request head that the real server refuses, and answers only GET requests for `path`. Each answer has
/// `fields` (lines with their line ends), then a `Content-Length`, and the text. The strings must stay valid.
void caret_bare_serve_http(int listener, const char *path, const char *fields, const char *text, size_t length);

#endif

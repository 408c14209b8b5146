#ifndef CARET_CBARESERVER_H
#define CARET_CBARESERVER_H

// The least that a server of shared lines can be, to be measured beside the real one: one thread with epoll and writev,
// and one that writes. It trusts its clients, and ends the process where something fails.
//
// A client says lines, and is in one document at most:
//   E…         the same line comes back
//   J<number>  joins that document; the answer is J
//   P…         pushes the line to the document it joined: all others in it get the line, and the pusher A
//
// With a database a push is on disk before anybody hears of it. What is ready when one transaction ends goes into the
// next: a row for each document that was pushed to, one for each pusher.

// The tables that a database must have, in a file that keeps its journal as a log:
//   segment (id INTEGER PRIMARY KEY, document, first, last, time, before, after, body)
//   document (id INTEGER PRIMARY KEY, head, utf8, utf16, scalars, updated, chain)
//   pusher (document, author, seq, revision, used, sum, digest), with (document, author) as its key

/// Serves for ever at a listening socket that does not block. `database` is the path of a file; nothing is kept where
/// it is null.
void caret_bare_serve(int listener, const char *database);

#endif

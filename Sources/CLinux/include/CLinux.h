#ifndef CARET_CLINUX_H
#define CARET_CLINUX_H

// What the C library's module for Swift lacks. To define _GNU_SOURCE here would change types of modules that are
// imported beside this one.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// Takes a connection off a listening socket: its calls do not block, and no program that is started gets it.
int caret_accept(int listener, struct sockaddr *address, socklen_t *length);

#endif

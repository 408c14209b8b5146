#define _GNU_SOURCE
#include "CBareServer.h"

#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { DOCUMENTS = 4096, DESCRIPTORS = 65536, READ = 65536, PIECES = 64, EVENTS = 256 };

typedef struct { int references; size_t length; char bytes[]; } payload;

typedef struct connection {
    int fd, document, place, dirty, blocked, begun, first, count, room;
    size_t sent;
    char *line;       // The beginning of a line whose end has not arrived.
    payload **output; // Unsent payloads: `count` of them, from index `first` on.
                      // `sent` bytes of the first unsent payload are already written.
} connection;

typedef struct push { struct push *next; int fd, document; payload *line; } push;
typedef struct { push *first, **end; } list;
typedef struct { connection **members; int count, room; } membership;

// Used only by the writer: a document's head, and the rows that this transaction adds to it.
typedef struct { sqlite3_int64 head; int added, length, room; char *body; } history;

static connection *connections[DESCRIPTORS];
static membership documents[DOCUMENTS];
static history histories[DOCUMENTS];
static connection *dirty[DESCRIPTORS];
static int dirty_count, epoll, wakeup;
// Who stores the pushes: nobody, the writer, or the only thread at the end of each turn.
static enum { NOBODY, WRITER, TURN } stores;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static list waiting = {NULL, &waiting.first}, written = {NULL, &written.first};

static void check(int holds, const char *what) { if (!holds) perror(what), exit(70); }

static void append(list *to, push *first, push **end) { *to->end = first, to->end = end; }

static void add(list *to, push *first, push **end) {
    pthread_mutex_lock(&lock);
    append(to, first, end);
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
}

/// Empties the list, and returns its elements. With `waits`, blocks until there is an element.
static list take(list *from, int waits) {
    pthread_mutex_lock(&lock);
    while (waits && !from->first) pthread_cond_wait(&ready, &lock);
    list all = *from;
    from->first = NULL, from->end = &from->first;
    pthread_mutex_unlock(&lock);
    return all;
}

static void *grown(void *old, int *room, int wanted, size_t size) {
    return wanted <= *room ? old : realloc(old, (*room = wanted * 2) * size);
}

static payload *payload_of(const char *bytes, int length) {
    payload *made = memcpy(malloc(sizeof *made + length), &(payload){0, length}, sizeof *made);
    return memcpy(made->bytes, bytes, length), made;
}

static void release(payload *held) { if (--held->references == 0) free(held); }

static void hand(connection *to, payload *line) {
    if (to->first && to->first + to->count == to->room)
        memmove(to->output, to->output + to->first, to->count * sizeof *to->output), to->first = 0;
    to->output = grown(to->output, &to->room, to->first + to->count + 1, sizeof *to->output);
    to->output[to->first + to->count++] = line, line->references++;
    if (!to->dirty && !to->blocked) to->dirty = 1, dirty[dirty_count++] = to;
}

static void watch(connection *of, int operation, int events) {
    epoll_ctl(epoll, operation, of->fd, &(struct epoll_event){.events = events, .data.fd = of->fd});
}

static void end(connection *ended) {
    if (ended->document >= 0) {
        membership *all = &documents[ended->document];
        all->members[ended->place] = all->members[--all->count], all->members[ended->place]->place = ended->place;
    }
    for (int at = 0; at < ended->count; at++) release(ended->output[ended->first + at]);
    for (int at = 0; at < dirty_count; at++) if (dirty[at] == ended) dirty[at] = dirty[--dirty_count];
    connections[ended->fd] = NULL, close(ended->fd);
    free(ended->line), free(ended->output), free(ended);
}

/// Writes the waiting output in one call. Returns false if the connection has failed.
static int flush(connection *of) {
    struct iovec pieces[PIECES];
    int used = of->count < PIECES ? of->count : PIECES;
    of->dirty = 0;
    for (int at = 0; at < used; at++) {
        payload *line = of->output[of->first + at];
        pieces[at] = (struct iovec){line->bytes + (at ? 0 : of->sent), line->length - (at ? 0 : of->sent)};
    }
    ssize_t count = writev(of->fd, pieces, used);
    if (count < 0 && errno != EAGAIN) return 0;
    for (of->sent += count > 0 ? count : 0; of->count && of->sent >= of->output[of->first]->length; of->count--)
        of->sent -= of->output[of->first]->length, release(of->output[of->first++]);
    if (!of->count) of->first = 0;
    if (of->blocked != (of->count > 0)) watch(of, EPOLL_CTL_MOD, of->count ? EPOLLIN | EPOLLOUT : EPOLLIN);
    return of->blocked = of->count > 0, 1;
}

static void tell(push *told) {
    membership *all = &documents[told->document];
    connection *pusher = connections[told->fd];
    if (pusher) hand(pusher, payload_of("A\n", 2));
    for (int at = 0; at < all->count; at++) if (all->members[at] != pusher) hand(all->members[at], told->line);
    release(told->line), free(told);
}

static void join(connection *joining, int document) {
    membership *all = &documents[document];
    all->members = grown(all->members, &all->room, all->count + 1, sizeof *all->members);
    joining->document = document, joining->place = all->count, all->members[all->count++] = joining;
}

static void line_came(connection *from, const char *line, int length) {
    if (line[0] == 'E') hand(from, payload_of(line, length));
    if (line[0] == 'J' && from->document < 0) join(from, atoi(line + 1) % DOCUMENTS), hand(from, payload_of("J\n", 2));
    if (line[0] != 'P' || from->document < 0) return;
    push *pushed = malloc(sizeof *pushed);
    *pushed = (push){NULL, from->fd, from->document, payload_of(line, length)};
    pushed->line->references = 1;
    if (stores == WRITER) add(&waiting, pushed, &pushed->next);
    if (stores == TURN) append(&waiting, pushed, &pushed->next);
    if (stores == NOBODY) tell(pushed);
}

/// Returns false if the connection has ended.
static int read_lines(connection *from) {
    static char buffer[READ];
    ssize_t count = read(from->fd, buffer, sizeof buffer);
    if (count <= 0) return count < 0 && errno == EAGAIN;
    for (char *at = buffer, *stop = buffer + count, *feed; at < stop; at = feed) {
        char *found = memchr(at, '\n', stop - at);
        feed = found ? found + 1 : stop;
        if (found && !from->begun) { line_came(from, at, feed - at); continue; }
        from->line = realloc(from->line, from->begun + (feed - at));
        memcpy(from->line + from->begun, at, feed - at), from->begun += feed - at;
        if (found) line_came(from, from->line, from->begun), from->begun = 0;
    }
    return 1;
}

static int accept_one(int listener) {
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) return 0;
    *(connections[fd] = calloc(1, sizeof(connection))) = (connection){.fd = fd, .document = -1};
    return watch(connections[fd], EPOLL_CTL_ADD, EPOLLIN), 1;
}

static sqlite3 *database;
static sqlite3_stmt *begin, *commit;

static sqlite3_stmt *prepared(const char *sql) {
    sqlite3_stmt *made;
    return check(!sqlite3_prepare_v2(database, sql, -1, &made, NULL), sql), made;
}

static void run(sqlite3_stmt *statement, const sqlite3_int64 *numbers, int count, const char *bytes, int length) {
    for (int at = 0; at < count; at++) sqlite3_bind_int64(statement, at + 1, numbers[at]);
    if (length) sqlite3_bind_blob(statement, count + 1, bytes, length, SQLITE_STATIC);
    check(sqlite3_step(statement) == SQLITE_DONE && sqlite3_reset(statement) == SQLITE_OK, "SQLite");
}

static void commit_all(push *first, sqlite3_stmt *pusher, sqlite3_stmt *segment, sqlite3_stmt *document) {
    static const char chain[] = "as long as a value of the chain.";
    static int touched[DOCUMENTS], count;
    for (push *each = first; each; each = each->next) {
        history *of = &histories[each->document];
        if (!of->added++) touched[count++] = each->document;
        of->body = grown(of->body, &of->room, of->length + each->line->length, 1);
        memcpy(of->body + of->length, each->line->bytes, each->line->length), of->length += each->line->length;
        run(pusher, (sqlite3_int64[]){each->document, each->fd, of->head + of->added, of->head}, 4, chain, 32);
    }
    while (count) {
        history *of = &histories[touched[--count]];
        sqlite3_int64 first = of->head + 1, head = of->head += of->added, number = of - histories;
        run(segment, (sqlite3_int64[]){number, first, head}, 3, of->body, of->length);
        run(document, (sqlite3_int64[]){number, head}, 2, chain, 32);
        of->added = of->length = 0;
    }
}

static void open_database(const char *path) {
    check(sqlite3_open(path, &database) == SQLITE_OK && !sqlite3_exec(database, "PRAGMA synchronous = FULL", 0, 0, 0), "database");
    begin = prepared("BEGIN IMMEDIATE"), commit = prepared("COMMIT");
}

static void tell_all(push *first) {
    for (push *each = first, *next; each; each = next) next = each->next, tell(each);
}

/// Stores the pushes of a turn, and then sends them.
static void commit_turn(sqlite3_stmt *row) {
    if (!waiting.first) return;
    push *first = waiting.first;
    waiting = (list){NULL, &waiting.first};
    run(begin, NULL, 0, NULL, 0);
    for (push *each = first; each; each = each->next)
        run(row, (sqlite3_int64[]){each->document, each->fd}, 2, each->line->bytes, each->line->length);
    run(commit, NULL, 0, NULL, 0);
    tell_all(first);
}

static void *write_for_ever(void *path) {
    open_database(path);
    sqlite3_stmt *pusher = prepared("INSERT OR REPLACE INTO pusher VALUES (?1, ?2, ?3, ?4, ?4, ?3, ?5)"),
        *segment = prepared("INSERT INTO segment VALUES (NULL, ?1, ?2, ?3, ?3, zeroblob(32), zeroblob(32), ?4)"),
        *document = prepared("INSERT OR REPLACE INTO document VALUES (?1, ?2, ?2, ?2, ?2, ?2, ?3)");
    for (;;) {
        list taken = take(&waiting, 1);
        run(begin, NULL, 0, NULL, 0);
        commit_all(taken.first, pusher, segment, document);
        run(commit, NULL, 0, NULL, 0);
        add(&written, taken.first, taken.end);
        eventfd_write(wakeup, 1);
    }
}

static void serve(int listener, sqlite3_stmt *row) {
    struct epoll_event events[EVENTS];
    epoll = epoll_create1(EPOLL_CLOEXEC);
    connection doors[] = {{.fd = listener}, {.fd = wakeup}};
    for (int at = 0; at < 2; at++) watch(&doors[at], EPOLL_CTL_ADD, EPOLLIN | EPOLLET);
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int at = 0; at < count; at++) {
            int fd = events[at].data.fd;
            connection *of = connections[fd];
            if (fd == listener) while (accept_one(listener));
            else if (fd == wakeup) tell_all(take(&written, 0).first);
            else if (of && events[at].events & EPOLLOUT && !flush(of)) end(of);
            else if (of && events[at].events & ~EPOLLOUT && !read_lines(of)) end(of);
        }
        if (stores == TURN) commit_turn(row);
        for (connection *of; dirty_count && (of = dirty[--dirty_count]);) if (!flush(of)) end(of);
    }
}

void caret_bare_serve(int listener, const char *path) {
    pthread_t writer;
    wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (path) stores = WRITER, pthread_create(&writer, NULL, write_for_ever, (void *)path);
    serve(listener, NULL);
}

void caret_lean_serve(int listener, const char *path) {
    open_database(path), stores = TURN;
    wakeup = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    serve(listener, prepared("INSERT INTO push VALUES (NULL, ?1, ?2, ?3)"));
}

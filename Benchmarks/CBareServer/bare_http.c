#define _GNU_SOURCE
#include "CBareServer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

// The limits of the server that this one is compared with: see `HTTPLimits`.
enum { HEAD = 16 << 10, REQUEST_LINE = 8 << 10, FIELDS = 64, PARAMETERS = 32, DIGITS = 15 };
enum { DESCRIPTORS = 65536, EVENTS = 256 };

typedef struct { const unsigned char *start; size_t length; } slice;

typedef struct {
    slice method, target;
    int is_http11, hosts, lengths, codings, closes;
} request;

typedef struct {
    size_t filled;
    size_t left; // The bytes of an answer that are not written yet.
    int closes;
    unsigned char input[HEAD + 2];
} connection;

static connection *connections[DESCRIPTORS];
static int epoll;
static struct { char bytes[1024]; size_t length; time_t second; const char *fields; } answer_head;
static slice document_path, body;
static unsigned char is_token_byte[256], is_field_byte[256];

// MARK: The head of a request. `take_line` and the `read_` functions return the status of the refusal, or 0.

static int is_blank(int byte) { return byte == ' ' || byte == '\t'; }

static void fill_tables(void) {
    for (int byte = 0; byte < 256; byte++) {
        int is_visible = byte > ' ' && byte < 127;
        is_token_byte[byte] = is_visible && !strchr("\"(),/:;<=>?@[\\]{}", byte);
        is_field_byte[byte] = is_visible || is_blank(byte) || byte >= 128;
    }
}

static int all(slice text, const unsigned char *table) {
    for (size_t at = 0; at < text.length; at++) if (!table[text.start[at]]) return 0;
    return 1;
}

static int equals(slice text, const char *word) {
    return text.length == strlen(word) && !strncasecmp((const char *)text.start, word, text.length);
}

static slice without_blanks(slice text) {
    while (text.length && is_blank(text.start[0])) text.start++, text.length--;
    while (text.length && is_blank(text.start[text.length - 1])) text.length--;
    return text;
}

/// Removes the bytes up to the separator from `rest`, and returns them. Without a separator, removes all bytes.
static slice take_until(slice *rest, unsigned char separator) {
    const unsigned char *found = rest->length ? memchr(rest->start, separator, rest->length) : NULL;
    slice taken = {rest->start, found ? (size_t)(found - rest->start) : rest->length};
    size_t used = taken.length + (found != NULL);
    rest->start += used, rest->length -= used;
    return taken;
}

/// A line must end with CR LF, and contain no other CR and no NUL.
static int take_line(slice *rest, slice *line) {
    *line = take_until(rest, '\n');
    if (!line->length || line->start[--line->length] != '\r') return 400;
    if (!line->length) return 0;
    return memchr(line->start, '\r', line->length) || memchr(line->start, 0, line->length) ? 400 : 0;
}

static int read_request_line(slice line, request *read) {
    if (line.length > REQUEST_LINE) return 414;
    slice rest = line;
    read->method = take_until(&rest, ' '), read->target = take_until(&rest, ' ');
    if (!read->method.length || !read->target.length || memchr(rest.start, ' ', rest.length)) return 400;
    for (size_t at = 0; at < read->method.length; at++) {
        int letter = read->method.start[at];
        if (!(letter >= 'A' && letter <= 'Z') && letter != '-') return 400;
    }
    if (rest.length != 8 || memcmp(rest.start, "HTTP/", 5) || rest.start[6] != '.') return 400;
    int major = rest.start[5] - '0', minor = rest.start[7] - '0';
    if (major < 0 || major > 9 || minor < 0 || minor > 9) return 400;
    if (major != 1 || minor > 1) return 505;
    read->is_http11 = minor;
    for (size_t at = 0; at < read->target.length; at++) {
        int byte = read->target.start[at];
        if (byte <= ' ' || byte > 126 || byte == '#') return 400;
    }
    int is_star = equals(read->target, "*") && read->method.length == 7 && !memcmp(read->method.start, "OPTIONS", 7);
    return read->target.start[0] == '/' || is_star ? 0 : 400;
}

static int read_field(slice line, request *read) {
    if (is_blank(line.start[0]) || !memchr(line.start, ':', line.length)) return 400;
    slice name = take_until(&line, ':'), value = without_blanks(line);
    if (!name.length || !all(name, is_token_byte) || !all(line, is_field_byte)) return 400;
    if (equals(name, "host")) read->hosts++;
    if (equals(name, "transfer-encoding")) {
        read->codings++;
        if (!equals(value, "chunked")) return 400;
    }
    if (equals(name, "content-length")) {
        if (read->lengths++ || !value.length || value.length > DIGITS) return 400;
        for (size_t at = 0; at < value.length; at++) if (value.start[at] < '0' || value.start[at] > '9') return 400;
    }
    if (equals(name, "connection"))
        while (value.length) if (equals(without_blanks(take_until(&value, ',')), "close")) read->closes = 1;
    return 0;
}

static int read_head(slice rest, request *read) {
    slice line;
    int status, fields = 0;
    // One empty line before a request is ignored.
    if (rest.length > 1 && rest.start[0] == '\r' && rest.start[1] == '\n') rest.start += 2, rest.length -= 2;
    if ((status = take_line(&rest, &line)) || (status = read_request_line(line, read))) return status;
    while (rest.length) {
        if ((status = take_line(&rest, &line))) return status;
        if (!line.length) break;
        if (fields++ == FIELDS) return 431;
        if ((status = read_field(line, read))) return status;
    }
    if (read->hosts != 1 || read->codings > 1) return 400;
    if (read->codings && (read->lengths || !read->is_http11)) return 400;
    return 0;
}

// MARK: The target of a request

static int hex(int digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    digit |= 0x20;
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

static int is_utf8(const unsigned char *at, size_t length) {
    for (const unsigned char *end = at + length; at < end;) {
        int first = *at++, more = first < 0x80 ? 0 : first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : -1;
        if (more < 0 || end - at < more) return 0;
        if ((first == 0xE0 && *at < 0xA0) || (first == 0xED && *at > 0x9F)) return 0;
        if ((first == 0xF0 && *at < 0x90) || (first == 0xF4 && *at > 0x8F)) return 0;
        while (more--) if ((*at++ & 0xC0) != 0x80) return 0;
    }
    return 1;
}

/// Decodes `%` and, in a query, `+`. Writes the result at `*to`, and moves `*to` past it. Returns 400 if the text
/// is invalid.
static int decode(slice text, int is_query, unsigned char **to, slice *decoded) {
    decoded->start = *to;
    for (size_t at = 0; at < text.length; at++) {
        int byte = text.start[at];
        if (byte == '%') {
            int high = at + 2 < text.length ? hex(text.start[at + 1]) : -1;
            int low = at + 2 < text.length ? hex(text.start[at + 2]) : -1;
            if (high < 0 || low < 0) return 400;
            byte = high << 4 | low, at += 2;
        } else if (byte == '+' && is_query) {
            byte = ' ';
        }
        *(*to)++ = byte;
    }
    decoded->length = *to - decoded->start;
    return is_utf8(decoded->start, decoded->length) ? 0 : 400;
}

static int read_target(slice target, int *is_document) {
    unsigned char bytes[REQUEST_LINE], *to = bytes;
    slice path, value, names[PARAMETERS];
    int count = 0, status;
    if ((status = decode(take_until(&target, '?'), 0, &to, &path))) return status;
    *is_document = path.length == document_path.length && !memcmp(path.start, document_path.start, path.length);
    while (target.length) {
        slice pair = take_until(&target, '&');
        if (!pair.length) continue;
        if (count == PARAMETERS) return 400;
        if ((status = decode(take_until(&pair, '='), 1, &to, &names[count]))) return status;
        if ((status = decode(pair, 1, &to, &value))) return status;
        for (int other = 0; other < count; other++)
            if (names[other].length == names[count].length
                && !memcmp(names[other].start, names[count].start, names[count].length)) return 400;
        count++;
    }
    return 0;
}

// MARK: Answers

static void make_answer_head(time_t now) {
    struct tm parts;
    char date[64];
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &parts));
    answer_head.second = now;
    answer_head.length = snprintf(
        answer_head.bytes, sizeof answer_head.bytes, "HTTP/1.1 200 OK\r\nDate: %s\r\n%sContent-Length: %zu\r\n\r\n",
        date, answer_head.fields, body.length);
}

/// Returns false if the connection must be closed.
static int send_rest(int fd, connection *of) {
    size_t whole = answer_head.length + body.length, sent = whole - of->left;
    size_t of_head = sent < answer_head.length ? answer_head.length - sent : 0;
    struct iovec pieces[] = {
        {answer_head.bytes + answer_head.length - of_head, of_head},
        {(char *)body.start + body.length - (of->left - of_head), of->left - of_head},
    };
    ssize_t count = writev(fd, pieces, 2);
    if (count < 0 && errno != EAGAIN) return 0;
    of->left -= count > 0 ? count : 0;
    int events = of->left ? EPOLLOUT : EPOLLIN;
    if (of->left || sent) epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &(struct epoll_event){.events = events, .data.fd = fd});
    return of->left || !of->closes;
}

static int refuse(int fd, int status) {
    char text[128];
    int length = snprintf(text, sizeof text, "HTTP/1.1 %d Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", status);
    if (write(fd, text, length) < 0) return 0;
    return 0;
}

/// The status of the refusal of a head whose end has not arrived; 0 if more bytes may complete it.
static int check_beginning(slice input) {
    const unsigned char *first = memchr(input.start, '\n', input.length), *end = first;
    int has_return = input.length && input.start[input.length - 1] == '\r';
    if (!first && input.length - has_return > REQUEST_LINE) return 414;
    for (slice rest = input; end; end = rest.length ? memchr(rest.start, '\n', rest.length) : NULL) {
        if (end == input.start || end[-1] != '\r') return 400;
        rest = (slice){end + 1, input.start + input.length - end - 1};
    }
    return input.length > HEAD ? 431 : 0;
}

/// Answers the first request in the input, if its head is complete. Returns false if the connection must be closed.
static int answer_next(int fd, connection *of) {
    const unsigned char *end = memmem(of->input, of->filled, "\r\n\r\n", 4);
    if (!end) {
        int status = check_beginning((slice){of->input, of->filled});
        return status ? refuse(fd, status) : 1;
    }
    size_t length = end + 4 - of->input;
    request read = {0};
    int is_document = 0, status = length > HEAD ? 431 : read_head((slice){of->input, length}, &read);
    if (!status) status = read_target(read.target, &is_document);
    if (!status && (read.method.length != 3 || memcmp(read.method.start, "GET", 3))) status = 405;
    if (!status && (read.lengths || read.codings)) status = 413;
    if (!status && !is_document) status = 404;
    if (status) return refuse(fd, status);
    of->closes = read.closes || !read.is_http11;
    memmove(of->input, of->input + length, of->filled -= length);
    time_t now = time(NULL);
    if (now != answer_head.second) make_answer_head(now);
    of->left = answer_head.length + body.length;
    return send_rest(fd, of);
}

/// Returns false if the connection must be closed.
static int move(int fd, connection *of) {
    if (of->left) {
        if (!send_rest(fd, of)) return 0;
    } else {
        ssize_t count = read(fd, of->input + of->filled, sizeof of->input - of->filled);
        if (count <= 0) return count < 0 && errno == EAGAIN;
        of->filled += count;
    }
    // A client may send the next requests before it has read the answer. They wait until the answer has left.
    for (size_t before = 0; !of->left && of->filled && of->filled != before;) {
        before = of->filled;
        if (!answer_next(fd, of)) return 0;
    }
    return 1;
}

void caret_bare_serve_http(int listener, const char *path, const char *fields, const char *text, size_t length) {
    struct epoll_event events[EVENTS];
    document_path = (slice){(const unsigned char *)path, strlen(path)}, body = (slice){(const unsigned char *)text, length};
    answer_head.fields = fields;
    fill_tables(), make_answer_head(time(NULL));
    epoll = epoll_create1(EPOLL_CLOEXEC);
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &(struct epoll_event){.events = EPOLLIN, .data.fd = listener});
    for (;;) {
        int count = epoll_wait(epoll, events, EVENTS, -1);
        for (int at = 0; at < count; at++) {
            int fd = events[at].data.fd;
            if (fd == listener) {
                if ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) < 0) continue;
                connections[fd] = calloc(1, sizeof(connection));
                epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &(struct epoll_event){.events = EPOLLIN, .data.fd = fd});
            } else if (!move(fd, connections[fd])) {
                free(connections[fd]), connections[fd] = NULL, close(fd);
            }
        }
    }
}

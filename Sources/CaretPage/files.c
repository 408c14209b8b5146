// Puts the files of the JavaScript client into the program, so that the server needs no other file.
#include "CaretPage.h"

static const unsigned char alarm_js[] = {
#embed "caret/alarm.js"
};
static const unsigned char binding_js[] = {
#embed "caret/binding.js"
};
static const unsigned char browser_keeping_js[] = {
#embed "caret/browser-keeping.js"
};
static const unsigned char bytes_js[] = {
#embed "caret/bytes.js"
};
static const unsigned char caret_d_ts[] = {
#embed "caret/caret.d.ts"
};
static const unsigned char caret_js[] = {
#embed "caret/caret.js"
};
static const unsigned char caret_wasm[] = {
#embed "caret/caret.wasm"
};
static const unsigned char client_js[] = {
#embed "caret/client.js"
};
static const unsigned char connection_js[] = {
#embed "caret/connection.js"
};
static const unsigned char core_js[] = {
#embed "caret/core.js"
};
static const unsigned char document_state_js[] = {
#embed "caret/document-state.js"
};
static const unsigned char document_js[] = {
#embed "caret/document.js"
};
static const unsigned char errors_js[] = {
#embed "caret/errors.js"
};
static const unsigned char field_text_js[] = {
#embed "caret/field-text.js"
};
static const unsigned char followers_js[] = {
#embed "caret/followers.js"
};
static const unsigned char keep_schedule_js[] = {
#embed "caret/keep-schedule.js"
};
static const unsigned char keeper_js[] = {
#embed "caret/keeper.js"
};
static const unsigned char keepsakes_js[] = {
#embed "caret/keepsakes.js"
};
static const unsigned char kept_document_js[] = {
#embed "caret/kept-document.js"
};
static const unsigned char mirror_js[] = {
#embed "caret/mirror.js"
};
static const unsigned char module_js[] = {
#embed "caret/module.js"
};
static const unsigned char overlay_js[] = {
#embed "caret/overlay.js"
};
static const unsigned char recovery_js[] = {
#embed "caret/recovery.js"
};
static const unsigned char replica_js[] = {
#embed "caret/replica.js"
};
static const unsigned char requests_js[] = {
#embed "caret/requests.js"
};
static const unsigned char tab_locks_js[] = {
#embed "caret/tab-locks.js"
};
static const unsigned char web_socket_js[] = {
#embed "caret/web-socket.js"
};
static const unsigned char wire_js[] = {
#embed "caret/wire.js"
};

static const struct caret_page_file files[] = {
    {"alarm.js", alarm_js, sizeof alarm_js},
    {"binding.js", binding_js, sizeof binding_js},
    {"browser-keeping.js", browser_keeping_js, sizeof browser_keeping_js},
    {"bytes.js", bytes_js, sizeof bytes_js},
    {"caret.d.ts", caret_d_ts, sizeof caret_d_ts},
    {"caret.js", caret_js, sizeof caret_js},
    {"caret.wasm", caret_wasm, sizeof caret_wasm},
    {"client.js", client_js, sizeof client_js},
    {"connection.js", connection_js, sizeof connection_js},
    {"core.js", core_js, sizeof core_js},
    {"document-state.js", document_state_js, sizeof document_state_js},
    {"document.js", document_js, sizeof document_js},
    {"errors.js", errors_js, sizeof errors_js},
    {"field-text.js", field_text_js, sizeof field_text_js},
    {"followers.js", followers_js, sizeof followers_js},
    {"keep-schedule.js", keep_schedule_js, sizeof keep_schedule_js},
    {"keeper.js", keeper_js, sizeof keeper_js},
    {"keepsakes.js", keepsakes_js, sizeof keepsakes_js},
    {"kept-document.js", kept_document_js, sizeof kept_document_js},
    {"mirror.js", mirror_js, sizeof mirror_js},
    {"module.js", module_js, sizeof module_js},
    {"overlay.js", overlay_js, sizeof overlay_js},
    {"recovery.js", recovery_js, sizeof recovery_js},
    {"replica.js", replica_js, sizeof replica_js},
    {"requests.js", requests_js, sizeof requests_js},
    {"tab-locks.js", tab_locks_js, sizeof tab_locks_js},
    {"web-socket.js", web_socket_js, sizeof web_socket_js},
    {"wire.js", wire_js, sizeof wire_js},
    {"", binding_js, 0},
};

const struct caret_page_file *caret_page_file_at(int index) { return &files[index]; }

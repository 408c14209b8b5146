// Puts the files that the server sends to browsers into the program, so that the server needs no other file.
//
// scripts/bundle-page makes the scripts, the style sheets and the HTML, and lists them. To add another file, add its
// name, and its path as FILE if it is in another folder.
#include "CaretPage.h"

static const struct caret_page_file files[] = {
#include "bundle/files.h"
#define NAME "caret/caret.d.ts"
#define FILE "../../Clients/javascript/caret.d.ts"
#include "embed.h"
#define NAME "caret/protocol.d.ts"
#define FILE "../../Clients/javascript/protocol.d.ts"
#include "embed.h"
#define NAME "caret/caret.wasm"
#define FILE "../../Clients/javascript/caret.wasm"
#include "embed.h"
#define NAME "openapi.json"
#include "embed.h"
#define NAME "page/icon-180.png"
#include "embed.h"
#define NAME "page/icon-maskable.svg"
#include "embed.h"
#define NAME "page/icon.svg"
#include "embed.h"
#define NAME "page/manifest.json"
#include "embed.h"
#define NAME "page/service-worker.js"
#include "embed.h"
    {"", (const unsigned char[]){0}, 0},
};

const struct caret_page_file *caret_page_file_at(int index) { return &files[index]; }

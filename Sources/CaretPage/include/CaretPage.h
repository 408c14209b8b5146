#pragma once

#include <stddef.h>

/// A file of the page or of the JavaScript client, as the server sends it.
struct caret_page_file {
    /// The name with its folder, such as `caret/caret.js`.
    const char *_Nonnull name;
    const unsigned char *_Nonnull bytes;
    size_t count;
};

/// The file with this index, from 0. The name of the file after the last one is empty.
const struct caret_page_file *_Nonnull caret_page_file_at(int index);

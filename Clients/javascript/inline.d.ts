// The interface of inline.js: that of caret.js. The file contains the module too, so it loads no other file.
export * from './caret.js'

// Caret uses hash functions that OpenSSL 3 deprecates. These functions look up their algorithm only once. The
// recommended functions look it up on every call.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

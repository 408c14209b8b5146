// The functions that OpenSSL 3 deprecates look up their algorithm once. The recommended ones do so on every
// call.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

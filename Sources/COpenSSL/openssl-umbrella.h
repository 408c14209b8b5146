// What OpenSSL 3 marks as deprecated looks its algorithm up once, not in every call as what it recommends does.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

// Caret uses hash functions that OpenSSL 3 deprecates. These functions look up their algorithm only once. The
// recommended functions look it up on every call.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdint.h>

// Functions that call macros of OpenSSL, because Swift does not import macros, and the callback for ALPN.

/// Sets the rules for both ends: TLS 1.2 and 1.3, without renegotiation and compression, and buffers that are
/// freed while they are empty. Returns 0 on failure.
static inline int caret_tls_set_rules(SSL_CTX *context) {
    SSL_CTX_set_options(context,
                        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                            SSL_OP_PRIORITIZE_CHACHA);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    // Tickets contain the state of a session, so the server stores none.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline int caret_tls_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

/// Gives `context` the certificate, the chain and the key of `other`. Returns 0 on failure.
static inline int caret_tls_copy_identity(SSL_CTX *context, SSL_CTX *other) {
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(other, &chain);
    return SSL_CTX_use_certificate(context, SSL_CTX_get0_certificate(other)) == 1 &&
           SSL_CTX_use_PrivateKey(context, SSL_CTX_get0_privatekey(other)) == 1 &&
           SSL_CTX_set1_chain(context, chain) == 1;
}

/// What a server accepts in ALPN: each name with its length before it.
static const unsigned char caret_tls_protocols[] = "\x08http/1.1\x07" "caret/1";

/// Selects the first protocol of the server that the client offers. Without a common protocol, the client gets the
/// alert `no_application_protocol`.
static int caret_tls_protocol_selected(SSL *session, const unsigned char **selected, unsigned char *selected_length,
                                       const unsigned char *offered, unsigned int offered_length, void *argument) {
    (void)session;
    (void)argument;
    return SSL_select_next_proto((unsigned char **)selected, selected_length, caret_tls_protocols,
                                 sizeof caret_tls_protocols - 1, offered,
                                 offered_length) == OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Makes a server use ALPN. A client that does not use ALPN may speak any protocol of the server.
static inline void caret_tls_accept_protocols(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, caret_tls_protocol_selected, NULL);
}

static inline int caret_tls_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

/// The address and the number of the bytes in a memory BIO.
static inline long caret_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

/// The number of bytes that a memory BIO has allocated.
static inline size_t caret_bio_capacity(BIO *bio) {
    BUF_MEM *memory = NULL;
    BIO_get_mem_ptr(bio, &memory);
    return memory == NULL ? 0 : memory->max;
}

static inline void caret_bio_reset(BIO *bio) { (void)BIO_reset(bio); }

/// The seconds since 1970; 0 for a time that is not valid. Swift must not use `struct tm` itself, because both this
/// module and Glibc contain it, and the compiler may choose either.
static inline int64_t caret_seconds(const ASN1_TIME *time) {
    ASN1_TIME *start = ASN1_TIME_set(NULL, 0);
    int days = 0;
    int seconds = 0;
    int is_valid = start != NULL && ASN1_TIME_diff(&days, &seconds, start, time) == 1;
    ASN1_TIME_free(start);
    return is_valid ? (int64_t)days * 86400 + seconds : 0;
}

static inline int caret_names_count(const GENERAL_NAMES *names) {
    return names == NULL ? 0 : sk_GENERAL_NAME_num(names);
}

static inline const GENERAL_NAME *caret_name_at(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

static inline void caret_names_free(GENERAL_NAMES *names) { GENERAL_NAMES_free(names); }

/// The part of an error code that names the reason, without the part that names the library of OpenSSL.
/// `ERR_GET_REASON` is an inline function only since OpenSSL 3.
static inline int caret_error_reason(unsigned long code) { return ERR_GET_REASON(code); }

// Caret uses hash functions that OpenSSL 3 deprecates. These functions look up their algorithm only once. The
// recommended functions look it up on every call.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <string.h>

// Functions that call macros of OpenSSL, because Swift does not import macros, and the callbacks for ALPN and for
// session tickets.

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

/// A key for session tickets. Its name, which is not secret, is in each ticket.
struct caret_ticket_key {
    unsigned char name[16];
    unsigned char cipher[32];
    unsigned char mac[32];
};

/// The keys of a context. It issues tickets with the current key, and also accepts those with the previous key.
struct caret_ticket_keys {
    struct caret_ticket_key current;
    struct caret_ticket_key previous;
};

/// OpenSSL calls this when it frees a context. The keys are erased.
static void caret_ticket_keys_freed(void *context, void *keys, CRYPTO_EX_DATA *data, int index, long number,
                                    void *argument) {
    (void)context;
    (void)data;
    (void)index;
    (void)number;
    (void)argument;
    OPENSSL_clear_free(keys, sizeof(struct caret_ticket_keys));
}

/// The index under which contexts own their keys. Call this once in a process.
static inline int caret_ticket_keys_index(void) {
    return SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, caret_ticket_keys_freed);
}

/// Prepares the encryption of a new ticket, or the decryption of a ticket whose key has this name. Returns 0 if the
/// key is unknown, 1 if it is current, 2 if the client also needs a new ticket, and -1 on failure.
static int caret_ticket_key_selected(SSL *session, unsigned char *name, unsigned char *iv, EVP_CIPHER_CTX *cipher,
                                     EVP_MAC_CTX *mac, int encrypts) {
    struct caret_ticket_keys *keys = (struct caret_ticket_keys *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(session));
    struct caret_ticket_key *key = &keys->current;
    if (encrypts) {
        memcpy(name, key->name, sizeof key->name);
        if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1) return -1;
    } else if (memcmp(name, key->name, sizeof key->name) != 0) {
        key = &keys->previous;
        if (memcmp(name, key->name, sizeof key->name) != 0) return 0;
    }
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key->mac, sizeof key->mac),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_end(),
    };
    if (EVP_MAC_CTX_set_params(mac, parameters) != 1 ||
        EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, key->cipher, iv, encrypts) != 1) {
        return -1;
    }
    return key == &keys->current ? 1 : 2;
}

/// Gives a new context two random keys for tickets. Returns 0 on failure.
static inline int caret_tls_make_ticket_keys(SSL_CTX *context, int index) {
    struct caret_ticket_keys *keys = (struct caret_ticket_keys *)OPENSSL_zalloc(sizeof *keys);
    if (keys == NULL || RAND_priv_bytes((unsigned char *)keys, sizeof *keys) != 1 ||
        SSL_CTX_set_ex_data(context, index, keys) != 1) {
        OPENSSL_clear_free(keys, sizeof *keys);
        return 0;
    }
    // The callback finds the keys here, because it does not know the index.
    return SSL_CTX_set_app_data(context, keys) == 1 &&
           SSL_CTX_set_tlsext_ticket_key_evp_cb(context, caret_ticket_key_selected) == 1;
}

/// Gives `context` both keys of `other`. Call this before `context` makes sessions.
static inline void caret_tls_copy_ticket_keys(SSL_CTX *context, SSL_CTX *other) {
    *(struct caret_ticket_keys *)SSL_CTX_get_app_data(context) =
        *(struct caret_ticket_keys *)SSL_CTX_get_app_data(other);
}

/// Makes `context` also accept the tickets that `other` issues. Call this before `context` makes sessions.
static inline void caret_tls_accept_tickets(SSL_CTX *context, SSL_CTX *other) {
    ((struct caret_ticket_keys *)SSL_CTX_get_app_data(context))->previous =
        ((struct caret_ticket_keys *)SSL_CTX_get_app_data(other))->current;
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

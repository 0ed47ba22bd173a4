// OpenSSL for Swift: digests, Base64, secure random numbers, TLS, and X.509. The functions here replace OpenSSL's
// macros and variadic functions, which Swift cannot call.
#ifndef WSX_COPENSSL_SHIM_H
#define WSX_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/store.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

// Contexts and sessions.

static inline int wsx_ssl_ctx_set_versions(SSL_CTX *context, int minimum, int maximum) {
    return SSL_CTX_set_min_proto_version(context, minimum) && SSL_CTX_set_max_proto_version(context, maximum);
}

// Disables compression and renegotiation, which TLS 1.3 has removed (RFC 9325 §3.3, §3.5).
static inline void wsx_ssl_ctx_harden(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_read_ahead(context, 0);
}

static inline void wsx_ssl_ctx_release_buffers(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

// wsx stores a client's sessions itself. A server's sessions are in the tickets that it sends.
static inline void wsx_ssl_ctx_keep_client_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}

static inline void wsx_ssl_ctx_keep_no_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Prefers the cipher suite of TLS 1.3 with SHA-256, unless the system's configuration has other suites than OpenSSL, or in
// another order. A handshake hashes little else than what derives keys, and processors have instructions for SHA-256 only.
static inline void wsx_ssl_ctx_prefer_sha256(SSL_CTX *context) {
    static const uint32_t usual[] = {
        TLS1_3_CK_AES_256_GCM_SHA384, TLS1_3_CK_CHACHA20_POLY1305_SHA256, TLS1_3_CK_AES_128_GCM_SHA256};
    STACK_OF(SSL_CIPHER) *suites = SSL_CTX_get_ciphers(context);
    int count = sk_SSL_CIPHER_num(suites);
    if (count < 3) return;
    for (int index = 0; index < 3; index++) {
        if (SSL_CIPHER_get_id(sk_SSL_CIPHER_value(suites, index)) != usual[index]) return;
    }
    // All suites of TLS 1.3 come first, and have numbers from 0x1301 on.
    if (count > 3 && SSL_CIPHER_get_id(sk_SSL_CIPHER_value(suites, 3)) >> 8 == TLS1_3_CK_AES_128_GCM_SHA256 >> 8) return;
    SSL_CTX_set_ciphersuites(
        context, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
}

static inline long wsx_ssl_ctx_set_ticket_keys(SSL_CTX *context, unsigned char *keys, long count) {
    return SSL_CTX_set_tlsext_ticket_keys(context, keys, count);
}

static inline long wsx_ssl_set_server_name(SSL *session, const char *name) {
    return SSL_set_tlsext_host_name(session, name);
}

static inline X509 *wsx_ssl_peer_certificate(const SSL *session) { return SSL_get0_peer_certificate(session); }

// The name of the group of the key exchange, or NULL without one.
static inline const char *wsx_ssl_group_name(SSL *session) {
    long group = SSL_get_negotiated_group(session);
    return group == 0 ? NULL : SSL_group_to_name(session, (int)group);
}

// Digests.

// The Base64 encoding of the SHA-1 hash of two texts, with a NUL. EVP_Digest would allocate and free two contexts.
static inline void wsx_base64_sha1(
    const void *text, size_t count, const void *suffix, size_t suffix_count, unsigned char encoding[29]) {
    unsigned char digest[SHA_DIGEST_LENGTH];
    SHA_CTX context;
    SHA1_Init(&context);
    SHA1_Update(&context, text, count);
    SHA1_Update(&context, suffix, suffix_count);
    SHA1_Final(digest, &context);
    EVP_EncodeBlock(encoding, digest, SHA_DIGEST_LENGTH);
}

// Stacks.

static inline int wsx_certificate_count(const STACK_OF(X509) * stack) { return stack == NULL ? 0 : sk_X509_num(stack); }
static inline X509 *wsx_certificate(const STACK_OF(X509) * stack, int index) { return sk_X509_value(stack, index); }
static inline STACK_OF(X509) * wsx_certificates_new(void) { return sk_X509_new_null(); }
static inline int wsx_certificates_push(STACK_OF(X509) * stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline X509 *wsx_certificates_shift(STACK_OF(X509) * stack) { return sk_X509_shift(stack); }
static inline void wsx_certificates_free(STACK_OF(X509) * stack) { sk_X509_pop_free(stack, X509_free); }

static inline int wsx_object_count(const STACK_OF(X509_OBJECT) * stack) { return sk_X509_OBJECT_num(stack); }
static inline X509_OBJECT *wsx_object(const STACK_OF(X509_OBJECT) * stack, int index) {
    return sk_X509_OBJECT_value(stack, index);
}

// Names in certificates.

static inline GENERAL_NAMES *wsx_alternative_names(const X509 *certificate) {
    return (GENERAL_NAMES *)X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
}
static inline GENERAL_NAMES *wsx_names_new(void) { return sk_GENERAL_NAME_new_null(); }
static inline int wsx_name_count(const GENERAL_NAMES *names) { return sk_GENERAL_NAME_num(names); }
static inline GENERAL_NAME *wsx_name(const GENERAL_NAMES *names, int index) {
    return sk_GENERAL_NAME_value(names, index);
}

// Appends a name of type GEN_DNS or GEN_IPADD. Returns 1 on success.
static inline int wsx_names_add(GENERAL_NAMES *names, int kind, const void *bytes, int count) {
    ASN1_STRING *value = ASN1_STRING_type_new(kind == GEN_DNS ? V_ASN1_IA5STRING : V_ASN1_OCTET_STRING);
    GENERAL_NAME *name = GENERAL_NAME_new();
    if (value == NULL || name == NULL || !ASN1_STRING_set(value, bytes, count)) {
        ASN1_STRING_free(value);
        GENERAL_NAME_free(name);
        return 0;
    }
    GENERAL_NAME_set0_value(name, kind, value);
    if (sk_GENERAL_NAME_push(names, name) > 0) return 1;
    GENERAL_NAME_free(name);
    return 0;
}

static inline int wsx_certificate_add_names(X509 *certificate, GENERAL_NAMES *names) {
    return X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, X509V3_ADD_DEFAULT);
}

// Adds an extension, such as key usage, from its text in the format of OpenSSL's configuration files. Returns 1 on
// success.
static inline int wsx_certificate_add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    if (extension == NULL) return 0;
    int result = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return result;
}

static inline EVP_PKEY *wsx_make_p256_key(void) { return EVP_EC_gen("P-256"); }

// Reading and writing.

static inline void wsx_bio_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }
static inline void wsx_bio_set_retry_read(BIO *bio) { BIO_set_retry_read(bio); }


static inline size_t wsx_bio_contents(BIO *bio, const char **bytes) {
    char *start = NULL;
    long count = BIO_get_mem_data(bio, &start);
    *bytes = start;
    return count > 0 ? (size_t)count : 0;
}

// Prints a name in one line of UTF-8, as in "CN=example.org, O=Example".
static inline int wsx_print_name(BIO *bio, const X509_NAME *name) {
    unsigned long flags = XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB & ~XN_FLAG_SPC_EQ;
    return X509_NAME_print_ex(bio, name, 0, flags);
}

// Errors.

static inline int wsx_error_library(unsigned long error) { return ERR_GET_LIB(error); }
static inline int wsx_error_reason(unsigned long error) { return ERR_GET_REASON(error); }

#endif

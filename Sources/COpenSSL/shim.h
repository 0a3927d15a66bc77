/// OpenSSL 3: TLS, and the making of certificates for the simulator.
///
/// The functions below only give names to macros, which Swift cannot import.
#pragma once
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// SSL_CTX_set_mode and friends are macros over SSL_CTX_ctrl.
static inline void upmc_ssl_ctx_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline int upmc_ssl_ctx_require_tls12(SSL_CTX *context) {
  return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}
static inline void upmc_ssl_ctx_read_ahead(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 1); }
static inline void upmc_ssl_ctx_no_session_cache(SSL_CTX *context) {
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}
// Macro; takes ownership of the certificate when it returns 1.
static inline int upmc_ssl_ctx_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add_extra_chain_cert(context, certificate);
}
// Macro over SSL_ctrl; copies the name.
static inline int upmc_ssl_set_server_name(SSL *ssl, const char *name) {
  return (int)SSL_set_tlsext_host_name(ssl, name);
}
// Flag macros whose type Swift would not take as an option mask.
static inline void upmc_ssl_ctx_set_safe_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
}
// Variadic macro over EVP_PKEY_Q_keygen.
static inline EVP_PKEY *upmc_generate_p256(void) { return EVP_EC_gen("P-256"); }
// Macro over BIO_ctrl: the bytes a memory BIO holds; they stay its own.
static inline long upmc_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
// The typed stack functions are macros.
static inline int upmc_x509_stack_count(const STACK_OF(X509) *stack) { return stack ? sk_X509_num(stack) : 0; }
static inline X509 *upmc_x509_stack_get(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
static inline void upmc_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
static inline STACK_OF(X509) *upmc_x509_stack_new(void) { return sk_X509_new_null(); }
// The stack owns the certificate when this returns more than 0.
static inline int upmc_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
  return sk_X509_push(stack, certificate);
}
// Packed error codes are taken apart by macros.
static inline int upmc_err_reason(unsigned long code) { return ERR_GET_REASON(code); }

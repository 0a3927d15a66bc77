/// OpenSSL 3: digests, ciphers and signatures, TLS, and the making of certificates for the simulator.
///
/// The functions below only give names to macros, which Swift cannot import.
#pragma once
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// HMAC under a key whose states were computed before. OpenSSL 3 deprecates these functions in favour of EVP, which allocates
// memory for each copy of a state.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
static inline void upmc_sha256_begin(SHA256_CTX *state, const void *bytes, size_t count) {
  SHA256_Init(state);
  SHA256_Update(state, bytes, count);
}
static inline void upmc_hmac_sha256(
    const SHA256_CTX *inner, const SHA256_CTX *outer, const void *message, size_t count, unsigned char *code) {
  SHA256_CTX state = *inner;
  SHA256_Update(&state, message, count);
  SHA256_Final(code, &state);
  state = *outer;
  SHA256_Update(&state, code, SHA256_DIGEST_LENGTH);
  SHA256_Final(code, &state);
}
// The same for two texts with a zero byte between them, as four numbers.
static inline void upmc_hmac_sha256_of_two(
    const SHA256_CTX *inner, const SHA256_CTX *outer, const void *first, size_t first_count, const void *second,
    size_t second_count, uint64_t words[4]) {
  SHA256_CTX state = *inner;
  unsigned char code[SHA256_DIGEST_LENGTH];
  SHA256_Update(&state, first, first_count);
  SHA256_Update(&state, "", 1);
  SHA256_Update(&state, second, second_count);
  SHA256_Final(code, &state);
  state = *outer;
  SHA256_Update(&state, code, SHA256_DIGEST_LENGTH);
  SHA256_Final((unsigned char *)words, &state);
}
#pragma clang diagnostic pop

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
// Says "nothing more has come" when the reads that a call may make are used up. OpenSSL goes on reading by itself for as
// long as what comes is no data (NewSessionTicket, KeyUpdate, HelloRequest), so only its socket can stop it. The number
// of reads that are left is kept where a callback keeps its argument.
static inline long upmc_bio_count_reads(
    BIO *bio, int operation, const char *data, size_t length, int number, long more, int result, size_t *done) {
  if (operation == BIO_CB_READ) {
    intptr_t left = (intptr_t)BIO_get_callback_arg(bio);
    if (left <= 0) {
      BIO_clear_retry_flags(bio);
      BIO_set_retry_read(bio);
      return -1;
    }
    BIO_set_callback_arg(bio, (char *)(left - 1));
  }
  return result;
}
static inline void upmc_ssl_bound_reads(SSL *ssl) { BIO_set_callback_ex(SSL_get_rbio(ssl), upmc_bio_count_reads); }
static inline void upmc_ssl_allow_reads(SSL *ssl, int count) {
  BIO_set_callback_arg(SSL_get_rbio(ssl), (char *)(intptr_t)count);
}
static inline int upmc_ssl_reads_left(SSL *ssl) {
  return (int)(intptr_t)BIO_get_callback_arg(SSL_get_rbio(ssl));
}
// Variadic macro over EVP_PKEY_Q_keygen.
static inline EVP_PKEY *upmc_generate_p256(void) { return EVP_EC_gen("P-256"); }
static inline EVP_PKEY *upmc_generate_rsa(size_t bits) { return EVP_RSA_gen(bits); }
// Macro over CRYPTO_free.
static inline void upmc_free(void *memory) { OPENSSL_free(memory); }
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
// The same for what a PKCS#12 archive holds.
static inline int upmc_pkcs7_stack_count(const STACK_OF(PKCS7) *stack) { return sk_PKCS7_num(stack); }
static inline PKCS7 *upmc_pkcs7_stack_get(const STACK_OF(PKCS7) *stack, int index) {
  return sk_PKCS7_value(stack, index);
}
static inline void upmc_pkcs7_stack_free(STACK_OF(PKCS7) *stack) { sk_PKCS7_pop_free(stack, PKCS7_free); }
static inline int upmc_safebag_stack_count(const STACK_OF(PKCS12_SAFEBAG) *stack) {
  return sk_PKCS12_SAFEBAG_num(stack);
}
static inline PKCS12_SAFEBAG *upmc_safebag_stack_get(const STACK_OF(PKCS12_SAFEBAG) *stack, int index) {
  return sk_PKCS12_SAFEBAG_value(stack, index);
}
static inline void upmc_safebag_stack_free(STACK_OF(PKCS12_SAFEBAG) *stack) {
  sk_PKCS12_SAFEBAG_pop_free(stack, PKCS12_SAFEBAG_free);
}
// How a part is encrypted; NULL when it is not. Types are told by macros, the algorithm lies in unions.
static inline const X509_ALGOR *upmc_pkcs7_encryption(const PKCS7 *part) {
  if (!PKCS7_type_is_encrypted(part) || !part->d.encrypted || !part->d.encrypted->enc_data) return NULL;
  return part->d.encrypted->enc_data->algorithm;
}
// The parameters of an algorithm, in DER, where they are a SEQUENCE; they stay its own.
static inline int upmc_algorithm_parameters(const X509_ALGOR *algorithm, const unsigned char **bytes) {
  int type = 0;
  const void *value = NULL;
  X509_ALGOR_get0(NULL, &type, &value, algorithm);
  if (type != V_ASN1_SEQUENCE || !value) return 0;
  *bytes = ASN1_STRING_get0_data((const ASN1_STRING *)value);
  return ASN1_STRING_length((const ASN1_STRING *)value);
}
// Packed error codes are taken apart by macros.
static inline int upmc_err_is_no_start_line(unsigned long code) {
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

/// libpq, the C client library of PostgreSQL.
#pragma once
#include <libpq-fe.h>

// As OpenSSL declares it; its headers belong to another module.
struct ssl_st;
int SSL_pending(const struct ssl_st *ssl);

// Returns the number of bytes that OpenSSL has decrypted and libpq has not read, which libpq itself does not say; 0
// without TLS.
static inline int upmc_pq_decrypted_bytes(PGconn *connection) {
  const struct ssl_st *ssl = (const struct ssl_st *)PQsslStruct(connection, "OpenSSL");
  return ssl ? SSL_pending(ssl) : 0;
}

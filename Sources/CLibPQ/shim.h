/// libpq, the C client library of PostgreSQL.
#pragma once
#include <libpq-fe.h>

# The builder and the images it leaves behind: `docker build -t upmc .` makes the server's, `--target simulator` that of
# the simulator which stands in for Apple and Google. Made from the same sources, kept apart: production needs only one.

FROM swift:6.3-bookworm AS builder
RUN apt-get update \
 && apt-get install -y --no-install-recommends libcmark-gfm-dev libcmark-gfm-extensions-dev libnghttp2-dev libpq-dev \
      libssl-dev pkg-config postgresql-client-15 xz-utils zlib1g-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# Dependencies first: they change less often than our own sources, and are then taken from the layer cache.
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
# Only because the package names them.
COPY Tests Tests
COPY .deploy/build-program .deploy/build-program
RUN .deploy/build-program /staging/server upmc && .deploy/build-program /staging/simulator upmc-simulator

FROM debian:bookworm-slim AS base
# Of the chart library, what the console loads is kept.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libcmark-gfm0.29.0.gfm.6 \
      libcmark-gfm-extensions0.29.0.gfm.6 libjs-chart.js libnghttp2-14 libpq5 libssl3 tzdata \
 && find /usr/share/javascript/chart.js -type f ! -name chart.mjs ! -path '*/chunks/*.mjs' -delete \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/* \
 && useradd --system --uid 10001 --user-group --no-create-home --home-dir /var/lib/upmc --shell /usr/sbin/nologin upmc \
 && install -d -o upmc -g upmc -m 0750 /var/lib/upmc
USER 10001:10001
WORKDIR /var/lib/upmc
STOPSIGNAL SIGTERM

FROM base AS simulator
USER root
# For its health check.
RUN apt-get update \
 && apt-get install -y --no-install-recommends curl \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/*-old /var/lib/dpkg/*-old /var/log/*
USER 10001:10001
COPY --from=builder /staging/simulator/ /usr/local/bin/
EXPOSE 2195 2196 2197 2198 8081
CMD ["upmc-simulator", "--listen=0.0.0.0:2197", "--sandbox-listen=0.0.0.0:2198", "--control-listen=0.0.0.0:8081"]

FROM base AS upmc
# For `upmc backup` and `upmc restore`; the package would bring Perl along.
COPY --from=builder /usr/lib/postgresql/15/bin/pg_dump /usr/lib/postgresql/15/bin/pg_restore /usr/lib/postgresql/15/bin/
COPY --from=builder /staging/server/ /usr/local/bin/
COPY LICENSE /usr/local/share/upmc/
COPY Migrations /usr/local/share/upmc/Migrations
COPY Public /usr/local/share/upmc/Public
ENV UPMC_LISTEN=0.0.0.0:8080 \
    UPMC_DATA_DIR=/var/lib/upmc \
    UPMC_MIGRATIONS_DIR=/usr/local/share/upmc/Migrations \
    UPMC_PUBLIC_DIR=/usr/local/share/upmc/Public \
    UPMC_LOG_FORMAT=json
VOLUME /var/lib/upmc
EXPOSE 8080
# /health answers once the process serves and the schema is current. `upmc health` knows of TLS, other ports and the PROXY
# protocol.
HEALTHCHECK --interval=5s --timeout=5s --start-period=30s --retries=3 CMD ["upmc", "health"]
CMD ["upmc", "serve"]

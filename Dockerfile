# The builder and the image it leaves behind. `docker build -t upmc .`

FROM swift:6.3-bookworm AS builder
RUN apt-get update \
 && apt-get install -y --no-install-recommends libnghttp2-dev libpq-dev libssl-dev pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# Dependencies first: they change less often than our own sources, and are then taken from the layer cache.
COPY Package.swift ./
RUN swift package resolve
COPY . .
# The Swift libraries go into the programs, so that the image needs none.
RUN swift build -c release --static-swift-stdlib --product upmc \
 && swift build -c release --static-swift-stdlib --product upmc-simulator \
 && mkdir -p /staging/bin /staging/share Migrations Public \
 && cp .build/release/upmc .build/release/upmc-simulator /staging/bin/ \
 && cp -R Migrations Public LICENSE /staging/share/

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates curl libjs-chart.js libnghttp2-14 libpq5 libssl3 postgresql-client-15 \
      tzdata \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --user-group --no-create-home --home-dir /var/lib/upmc --shell /usr/sbin/nologin upmc \
 && install -d -o upmc -g upmc -m 0750 /var/lib/upmc
COPY --from=builder /staging/bin/ /usr/local/bin/
COPY --from=builder /staging/share/ /usr/local/share/upmc/
USER upmc
WORKDIR /var/lib/upmc
ENV UPMC_LISTEN=0.0.0.0:8080 \
    UPMC_DATA_DIR=/var/lib/upmc \
    UPMC_MIGRATIONS_DIR=/usr/local/share/upmc/Migrations \
    UPMC_PUBLIC_DIR=/usr/local/share/upmc/Public \
    UPMC_LOG_FORMAT=json
VOLUME /var/lib/upmc
EXPOSE 8080
STOPSIGNAL SIGTERM
# /health answers once the process serves and the schema is current.
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "http://127.0.0.1:8080/health"]
CMD ["upmc", "serve"]

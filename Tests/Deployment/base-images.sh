#!/bin/sh
# Makes the base images that our files name, under their official names, where no registry can be reached: Debian by
# debootstrap, the others on top of it from Debian's packages, Swift from the toolchain of this machine. Images that are
# there already stay. Needs root, debootstrap and an engine (DOCKER_HOST).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

missing() {
  ! docker image inspect "$1" >/dev/null 2>&1
}

# build NAME < Dockerfile, with "$work/context" as the context
build() {
  DOCKER_BUILDKIT=0 docker build --quiet --tag "$1" --file - "$work/context"
}
mkdir "$work/context"

if missing debian:bookworm-slim; then
  debootstrap --variant=minbase bookworm "$work/debian" "$mirror" >"$work/debootstrap.log" 2>&1 || {
    tail "$work/debootstrap.log" >&2
    exit 1
  }
  # What the official "slim" leaves out, and keeps out.
  cat >"$work/debian/etc/dpkg/dpkg.cfg.d/docker" <<'END'
path-exclude /usr/share/doc/*
path-include /usr/share/doc/*/copyright
path-exclude /usr/share/groff/*
path-exclude /usr/share/info/*
path-exclude /usr/share/linda/*
path-exclude /usr/share/lintian/*
path-exclude /usr/share/locale/*
path-exclude /usr/share/man/*
END
  find "$work/debian/usr/share/doc" ! -name copyright -type f -delete
  find "$work/debian/usr/share/doc" -type l -delete
  find "$work/debian/usr/share/doc" -type d -empty -delete
  for place in usr/share/groff usr/share/info usr/share/linda usr/share/lintian usr/share/locale usr/share/man \
    var/cache/apt var/lib/apt/lists var/log; do
    find "$work/debian/$place" -mindepth 1 -delete 2>/dev/null || true
  done
  cat >"$work/debian/etc/apt/sources.list" <<END
deb $mirror bookworm main
deb $mirror bookworm-updates main
deb $mirror-security bookworm-security main
END
  tar -C "$work/debian" -c . | docker import --change 'CMD ["bash"]' - debian:bookworm-slim
  rm -rf "$work/debian"
fi

if missing postgres:15; then
  cp "$here/postgres-entrypoint.sh" "$work/context/docker-entrypoint.sh"
  build postgres:15 <<'END'
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends postgresql-common \
 && sed -i -E 's/^#?create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
 && apt-get install -y --no-install-recommends postgresql-15 && rm -rf /var/lib/apt/lists/*
ENV PATH=/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ENV PGDATA=/var/lib/postgresql/data
COPY docker-entrypoint.sh /usr/local/bin/
VOLUME /var/lib/postgresql/data
EXPOSE 5432
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
END
fi

if missing haproxy:2.6; then
  build haproxy:2.6 <<'END'
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends haproxy && rm -rf /var/lib/apt/lists/* \
 && usermod --uid 99 haproxy && groupmod --gid 99 haproxy
USER haproxy
WORKDIR /var/lib/haproxy
STOPSIGNAL SIGUSR1
CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]
END
fi

if missing swift:6.3-bookworm; then
  toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
  tar -C "$toolchain" -c . | docker import - swift-toolchain
  # Where git takes packages from copies on this machine, the image does too.
  copies=$(git config --get-regexp '^url\..*\.insteadof$' 2>/dev/null \
    | sed -n 's|^url\.\(/.*\)\.insteadof https://github.com/$|\1|p' | head -1)
  # In a context of their own: the one above goes to the engine with every image.
  mkdir "$work/swift" "$work/swift/packages"
  [ -z "$copies" ] || cp -R "$copies/." "$work/swift/packages/"
  DOCKER_BUILDKIT=0 docker build --quiet --tag swift:6.3-bookworm --file - "$work/swift" <<END
FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends binutils ca-certificates git gnupg2 libc6-dev \
    libcurl4-openssl-dev libedit2 libgcc-12-dev libncurses-dev libpython3.11 libsqlite3-0 libstdc++-12-dev libxml2-dev \
    libz3-dev make pkg-config tzdata zlib1g-dev && rm -rf /var/lib/apt/lists/*
COPY --from=swift-toolchain / /opt/swift
COPY packages /opt/packages
${copies:+RUN git config --system url./opt/packages/.insteadOf https://github.com/ \\
 && git config --system safe.directory '*'}
ENV PATH=/opt/swift/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
END
  docker image rm swift-toolchain >/dev/null
fi

docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' debian
docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' postgres
docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' haproxy
docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}' swift

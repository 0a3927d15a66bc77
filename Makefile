# Everything a newcomer needs is `make run` and `make test`. `make help` lists the rest.

SWIFT ?= swift
# The tools of the same release: a profile is read by those of the compiler that made it.
SWIFT_TOOLS = $(dir $(shell command -v $(SWIFT)))
DEBUG := .build/debug
RELEASE := .build/release
PRODUCTION := .build/production
PREFIX ?= /usr/local
# No checks at run time for overlapping accesses to a property: debug builds, which the tests run, have them. Decision 168.
RELEASE_FLAGS := -Xswiftc -enforce-exclusivity=unchecked

# What a bare Debian 12 with Swift lacks to build and run: C libraries, the private database, what the walk of the README
# calls.
PACKAGES := ca-certificates curl git jq libcmark-gfm-dev libcmark-gfm-extensions-dev libjs-chart.js libnghttp2-dev \
            libpq-dev libssl-dev pkg-config postgresql-15 postgresql-client-15 zlib1g-dev
# And what the tests talk to.
TEST_PACKAGES := chromium-driver chromium-headless-shell fonts-noto-cjk haproxy nghttp2-client nghttp2-server nginx-light \
                 nodejs openjdk-17-jdk-headless openssl pgbouncer prometheus python3 python3-h2 python3-venv zbar-tools
# The peers that the benchmark measures against, and its load generator.
BENCH_PACKAGES := nghttp2-client nghttp2-server nginx-light postgresql-15 python3-venv valgrind wrk
# A peer that comes as a Python package; it lives in a virtual environment of its own.
BENCH_PYTHON := aioapns==4.0
# What sends made-up requests to the API and knows the specification of OpenAPI; and what makes clients from it, with what
# these import. One generator and one guide of the handbook need Java.
FUZZ_PYTHON := schemathesis==4.32.5 openapi-spec-validator==0.9.0 openapi-generator-cli==7.26.0 openapi-python-client==0.29.1 \
               httpx attrs pydantic python-dateutil urllib3
FUZZ_PACKAGES := openjdk-17-jdk-headless
# Google's own client libraries, which talk to the simulator.
FIREBASE_PYTHON := firebase-admin==7.7.0 google-auth==2.62.2
# The schemas of Kubernetes.
KUBERNETES_PYTHON := kubernetes-validate==1.37.0
VENV := .build/venv
FUZZ := .build/fuzz
SECONDS ?= 600

.DEFAULT_GOAL := help
.PHONY: deps test-deps build run test check torture crash citus judge bench fuzz-api firebase fuzz sanitize walks console-times console-jobs versions \
        lint client-lives client-coverage stadium format install deb deb-test kubernetes reproducible help
.NOTPARALLEL:

deps: ## Install the system packages that are missing to build and run (apt; uses sudo when not root)
	@.ci/install-packages $(PACKAGES)
	@command -v $(SWIFT) >/dev/null || { echo "Swift 6.2 or newer is not on the PATH: https://www.swift.org/install" >&2; exit 1; }

test-deps: deps ## Install those that the tests need, too: a browser, proxies, a pooler, a monitor
	@.ci/install-packages $(TEST_PACKAGES)

# The server alone, with the simulator that its demonstration runs inside it: no test, no benchmark, no torture.
build: ## Build the program for production, .build/release/upmc
	$(SWIFT) build -c release $(RELEASE_FLAGS) --product upmc

install: production ## Install the program, its files and its manual below PREFIX (/usr/local); DESTDIR for packagers
	@.deploy/install $(PRODUCTION)/upmc $(DEBUG)/generate-manual $(DESTDIR)$(PREFIX)

deb: production ## Make a Debian package in .build/deb
	@.ci/install-packages dpkg-dev
	@.deploy/debian/build $(PRODUCTION)/upmc $(DEBUG)/generate-manual .build/deb

deb-test: production ## Install, run, upgrade, remove and purge that package in a Debian of its own (root, debootstrap)
	@.ci/install-packages debootstrap dpkg-dev python3 systemd
	@rm -rf .build/deb/test
	@.deploy/debian/build $(PRODUCTION)/upmc $(DEBUG)/generate-manual .build/deb/test/older
	@UPMC_PACKAGE_VERSION=$$($(PRODUCTION)/upmc --version | awk '{ print $$2 }')+upgrade \
	  .deploy/debian/build $(PRODUCTION)/upmc $(DEBUG)/generate-manual .build/deb/test/newer
	@exec .deploy/debian/test .build/deb/test/older/upmc_*.deb .build/deb/test/newer/upmc_*.deb

kubernetes: ## Validate the Kubernetes manifests against the schemas of several releases of Kubernetes
	@test -x $(VENV)/bin/python3 || python3 -m venv $(VENV)
	@$(VENV)/bin/python3 -m pip install --quiet --disable-pip-version-check '$(KUBERNETES_PYTHON)'
	@for release in 1.30 1.33 1.37; do $(VENV)/bin/kubernetes-validate --strict -k $$release .deploy/kubernetes.yml || exit 1; done

reproducible: deps ## Build the last commit in two folders and compare the bytes
	@exec .ci/reproducible

# With Swift's libraries inside, and without what only a debugger reads.
.PHONY: production
production: deps
	@.ci/install-packages binutils xz-utils
	SCRATCH=.build/static SWIFT=$(SWIFT) .deploy/build-program $(PRODUCTION) upmc
	$(SWIFT) build --product generate-manual

# Without optimisation, which takes half of the time of a first build and is not seen with 65 devices. What is built here,
# the tests need too.
run: deps ## Start everything on this machine and send a first push; Ctrl-C stops it all
	$(SWIFT) build --product upmc
	@exec $(DEBUG)/upmc demo

# The linter runs before the tests so that the last line printed is their summary. ARGS="Dispatcher|Store" runs those parts.
test: test-deps ## Build, lint and run every test
	@.ci/fetch-axe
	@.ci/fetch-openid-provider
	$(SWIFT) build --build-tests
	@$(MAKE) --no-print-directory lint
	@.ci/run-tests $(ARGS)

check: test-deps ## Build, lint and run the quick tests, for everyday work: all but the suites that say they are slow
	$(SWIFT) build --build-tests
	@$(MAKE) --no-print-directory lint
	@TESTS=quick .ci/run-tests $(ARGS)

torture: test-deps build ## Kill and cut two servers, PostgreSQL and the network while they work, then take the account; ARGS="--minutes 30 --seed 7"
	$(SWIFT) build -c release $(RELEASE_FLAGS) --product upmc-torture
	@exec $(RELEASE)/upmc-torture $(ARGS)

crash: test-deps build ## Crash at every boundary of a reference run, in six ways; hours: ARGS="--minutes 60" or ARGS="--part 10" for less
	$(SWIFT) build -c release $(RELEASE_FLAGS) --product upmc-torture
	@exec $(RELEASE)/upmc-torture crash $(ARGS)

citus: ## Run the tests that use a database on Citus, on a cluster made for it: CITUS=/usr/lib/postgresql/15, a PostgreSQL that has it
	@[ -z "$(CITUS)" ] || $(SWIFT) build --build-tests
	@.ci/citus "$(CITUS)" $(ARGS)

client-lives: ## Let 1,000 client processes, 50 at a time, confirm 100,000 pushes, some killed on the way
	$(SWIFT) build --build-tests
	@CLIENT_LIVES=1000 CLIENT_PUSHES=100000 CLIENT_AT_ONCE=50 $(DEBUG)/upmcPackageTests.xctest \
	  --testing-library swift-testing --filter ClientLivesTests

client-coverage: ## Print how much of the client's core the tests run on Linux (a build of its own)
	$(SWIFT) build --scratch-path .build-coverage --build-tests --enable-code-coverage
	@rm -f .build-coverage/client-*.profraw
	@LLVM_PROFILE_FILE=$(CURDIR)/.build-coverage/client-%p.profraw .build-coverage/debug/upmcPackageTests.xctest \
	  --testing-library swift-testing --filter UPMCClientTests
	@$(SWIFT_TOOLS)llvm-profdata merge -sparse .build-coverage/client-*.profraw -o .build-coverage/client.profdata
	@$(SWIFT_TOOLS)llvm-cov report .build-coverage/debug/upmcPackageTests.xctest -instr-profile .build-coverage/client.profdata \
	  Sources/UPMCClient Sources/UPMCClientURLSession

stadium: ## Publish each second of a minute to a channel that a million simulated activities follow
	$(SWIFT) build --build-tests
	@TEST_STADIUM=full $(DEBUG)/upmcPackageTests.xctest --testing-library swift-testing --filter 'ChannelTests.*stadium'

judge: ## Judge a history that a torture or a crash run wrote; ARGS="/tmp/history.json"
	@exec python3 Tests/Judge/judge.py $(ARGS)

bench: test-deps build ## Measure against the peers; choose with ARGS="H1 P1 --json"
	@.ci/install-packages $(BENCH_PACKAGES)
	@test -x $(VENV)/bin/python3 || python3 -m venv $(VENV)
	@$(VENV)/bin/python3 -m pip install --quiet --disable-pip-version-check '$(BENCH_PYTHON)'
	$(SWIFT) build --package-path Tests/Peers --scratch-path .build/peers -c release
	$(SWIFT) build -c release $(RELEASE_FLAGS) --product upmc-simulator
	$(SWIFT) build -c release $(RELEASE_FLAGS) --product upmc-benchmark
	@exec $(RELEASE)/upmc-benchmark --peers .build/peers/release $(ARGS)

fuzz-api: test-deps build ## Hold the API against its document: made-up requests, generated clients, guides; ARGS="--examples 500 --part Devices"
	@.ci/install-packages $(FUZZ_PACKAGES)
	@test -x $(VENV)/bin/python3 || python3 -m venv $(VENV)
	@$(VENV)/bin/python3 -m pip install --quiet --disable-pip-version-check $(FUZZ_PYTHON)
	@exec $(VENV)/bin/python3 Tests/FuzzAPI/fuzz_api.py $(ARGS)

firebase: test-deps ## Let Google's own client libraries talk to the simulator's FCM
	@test -x $(VENV)/bin/python3 || python3 -m venv $(VENV)
	@$(VENV)/bin/python3 -m pip install --quiet --disable-pip-version-check $(FIREBASE_PYTHON)
	$(SWIFT) build --product upmc-simulator
	@exec $(VENV)/bin/python3 Tests/Firebase/check.py

fuzz: deps ## Fuzz the request parser for SECONDS (600), beginning with the hostile requests of the tests
	$(SWIFT) build --package-path Tests/Fuzz --scratch-path $(FUZZ) -c release
	@mkdir -p $(FUZZ)/corpus
	@$(FUZZ)/release/Seeds $(FUZZ)/corpus
	@cd $(FUZZ) && exec release/Fuzz -max_total_time=$(SECONDS) -max_len=16384 -timeout=5 -rss_limit_mb=1024 \
	  -print_final_stats=1 corpus

sanitize: test-deps ## Run every test under ThreadSanitizer, then under AddressSanitizer; ARGS="thread EndToEndTests.Control"
	@.ci/fetch-axe
	@.ci/fetch-openid-provider
	@exec Tests/Sanitize/run $(ARGS)

walks: deps ## Count the files that one reads who follows a receipt, a read, a code and a campaign; ARGS="--files" names them
	$(SWIFT) build --product upmc-simulator
	$(SWIFT) build --product upmc --scratch-path .build/walks -Xswiftc -profile-generate -Xswiftc -profile-coverage-mapping
	@exec python3 Tests/Walks/walks.py .build/walks/debug/upmc $(DEBUG)/upmc-simulator $(ARGS)

console-times: test-deps ## Time how the console loads where the server is far away; ARGS="--rtt 60 --rounds 5"
	$(SWIFT) build -c release $(RELEASE_FLAGS) --product upmc
	@exec python3 Tests/LoadTimes/load_times.py $(RELEASE)/upmc $(ARGS)

console-jobs: test-deps ## Do each whole job in the console with a bank's volume stored, and print how many steps it takes
	$(SWIFT) build --build-tests
	@TEST_CONSOLE_JOBS=full $(DEBUG)/upmcPackageTests.xctest --testing-library swift-testing --filter WholeJobTests

versions: ## Show the packages from outside and the version that was resolved of each
	@$(SWIFT) package resolve >&2
	@awk -F '"' '/"identity"/ { name = $$4 } /"version" : "/ { print name, $$4 }' Package.resolved

lint: ## Check the form of every source file
	@echo "Linting"
	@$(SWIFT) format lint --strict --parallel --recursive Package.swift Sources Tests

format: ## Bring every source file into form
	@$(SWIFT) format --in-place --parallel --recursive Package.swift Sources Tests

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

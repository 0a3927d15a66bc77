// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Every target of the product is built with the same, strictest settings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Swift Testing macros expand to code that strict memory safety warns about, so tests do without it.
let testing: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let log = Target.Dependency.product(name: "Logging", package: "swift-log")
let heap = Target.Dependency.product(name: "HeapModule", package: "swift-collections")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// A module of the house. `on` may only name modules that stand below it; `StyleTests` checks the imports too.
func module(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, on dependencies: [Target.Dependency]) -> Target {
  .executableTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, on dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: ["TestTier"] + dependencies, swiftSettings: testing)
}

let package = Package(
  name: "upmc",
  // Of the client's library: what an app depends on. The programs are Linux's.
  platforms: [.iOS(.v15), .macOS(.v12)],
  products: [
    .library(
      name: "UPMCPush", targets: ["UPMCPush", "UPMCPushExtension", "UPMCClientURLSession", "UPMCClient"]),
    // What an extension links: nothing of it needs the app.
    .library(name: "UPMCPushExtension", targets: ["UPMCPushExtension", "UPMCClientURLSession", "UPMCClient"]),
    .executable(name: "upmc", targets: ["upmc"]),
    .executable(name: "upmc-simulator", targets: ["upmc-simulator"]),
    .executable(name: "upmc-benchmark", targets: ["upmc-benchmark"]),
    .executable(name: "upmc-torture", targets: ["upmc-torture"]),
  ],
  // Exact, so that the same sources make the same programs today and in a year; `make versions` shows what was resolved.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
  ],
  targets: [
    // Ground: system libraries, each a module map and shims for what Swift cannot import.
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq"),
    .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
    .systemLibrary(name: "CCMark", pkgConfig: "libcmark-gfm"),
    .systemLibrary(name: "CZLib", pkgConfig: "zlib"),

    // First floor: points in time. Pure.
    module("Time"),
    // Above it: threads, loops, inboxes, sockets, clocks.
    module("Reactor", on: ["Time", "CLinux", heap]),
    // Beside it: text from outside, and JSON as bytes. Pure.
    module("PlainText"),
    module("JSON", on: ["PlainText"]),
    // What a program counts about itself. Pure.
    module("Metrics"),
    // Which distributed trace a piece of work belongs to, and its spans. Pure.
    module("Tracing", on: ["Time"]),

    // Beside it: digests, ciphers and signatures. Pure.
    module("Crypto", on: ["COpenSSL"]),
    // Beside it: Markdown to HTML. Pure.
    module("Markdown", on: ["CCMark"]),
    // Beside it: compression of what is sent often. Pure.
    module("Gzip", on: ["CZLib"]),

    // Second floor: technologies. They know nothing of pushes.
    module("TLS", on: ["Crypto", "Reactor", "COpenSSL"]),
    module("HTTP2", on: ["PlainText", "Reactor", "CNGHTTP2"]),
    module("HTTPServer", on: ["TLS", "Metrics", "Tracing", "PlainText", "Time", "Reactor"]),
    module("HTTPClient", on: ["TLS", "PlainText", "Reactor", deque]),
    module("Postgres", on: ["Time", "Reactor", "CLibPQ", deque]),
    // Beside it: exports spans and metrics to a collector.
    module("OTLP", on: ["HTTPClient", "TLS", "JSON", "Metrics", "Tracing", "Time", "Reactor", log]),
    // Beside it: a PostgreSQL server of our own, made, run and stopped.
    module("EmbeddedPostgres", on: ["Postgres", "Reactor"]),

    // Third floor: what UPMC is about.
    module("Domain", on: ["Time", "JSON", "PlainText", "Crypto"]),
    module("Store", on: ["Domain", "Tracing", "Postgres", "Time", "Reactor", "Crypto"]),
    module(
      "Operations",
      on: ["Domain", "JSON", "Store", "Tracing", "Postgres", "TLS", "Time", "Reactor", "Crypto", log]),

    // Beside it: what the ways to all push networks have in common.
    module("PushTransport", on: ["Domain", "HTTP2", "HTTPClient", "TLS", "Metrics", "Time", "Reactor", log, deque]),

    // Fourth floor: the API, the dispatcher and the engine. Siblings never import each other.
    module("APNs", on: ["PushTransport", "Domain", "JSON", "HTTP2", "TLS", "Time", "Reactor", "Crypto", log]),
    module(
      "FCM",
      on: ["PushTransport", "Domain", "JSON", "PlainText", "HTTP2", "HTTPClient", "TLS", "Time", "Reactor", log]),
    module(
      "WebhookDelivery",
      on: [
        "PushTransport", "Domain", "JSON", "Store", "Operations", "HTTPClient", "TLS", "Tracing", "Postgres", "Time",
        "Reactor",
        "Crypto", log,
      ]),
    module("Dispatcher", on: ["Domain", "Store", "Postgres", "Metrics", "Tracing", "Time", "Reactor", log, heap]),
    module(
      "API",
      on: [
        "Domain", "JSON", "PlainText", "Store", "Operations", "HTTPServer", "Postgres", "Metrics", "Tracing", "Time",
        "Reactor",
        "Crypto", "Gzip", "Markdown", log, deque,
      ]),
    module(
      "Simulator",
      on: ["UPMCClient", "JSON", "HTTP2", "TLS", "HTTPClient", "HTTPServer", "Time", "Reactor", "Crypto", deque]),

    // The client: what apps link. On its own ground, with no dependency; no unsafe flag may reach these four.
    module("UPMCClient"),
    module("UPMCClientURLSession", on: ["UPMCClient"]),
    module("UPMCPushExtension", on: ["UPMCClient", "UPMCClientURLSession"]),
    module("UPMCPush", on: ["UPMCClient", "UPMCClientURLSession", "UPMCPushExtension"]),

    // Roof: configuration, wiring, programs.
    module(
      "Server",
      on: [
        "API", "Dispatcher", "WebhookDelivery", "APNs", "FCM", "PushTransport", "Simulator",
        "TLS", "JSON", "PlainText", "Operations", "Store", "HTTPServer", "HTTPClient", "EmbeddedPostgres", "Postgres",
        "Metrics", "Tracing", "OTLP", "Time", "Reactor", "Domain", "Crypto", log,
      ]),
    // What an operator does beside serving.
    module(
      "Maintenance",
      on: ["Server", "Operations", "Store", "Domain", "JSON", "HTTPClient", "TLS", "Postgres", "Time", "Reactor"]),
    program(
      "upmc",
      on: [
        "Maintenance", "Server", "API", "Operations", "Store", "HTTPClient", "TLS", "Domain", "JSON", "Postgres",
        "Time", "Reactor", arguments,
      ]),
    program("upmc-simulator", on: ["Simulator", "Reactor", arguments]),

    // Which suites an everyday run leaves out.
    .target(name: "TestTier", path: "Tests/TestTier", swiftSettings: testing),
    tests("StyleTests", on: ["Markdown", "Domain"]),
    // A client that tests end at any step: a program, because only a process can be killed.
    .executableTarget(
      name: "upmc-client-life", dependencies: ["UPMCClient", "UPMCClientURLSession"], path: "Tests/ClientLife",
      swiftSettings: testing),
    tests(
      "UPMCClientTests",
      on: [
        "UPMCClient", "UPMCClientURLSession", "upmc-client-life", "upmc-simulator", "Server", "Simulator", "Operations",
        "Store",
        "Domain", "Postgres", "TLS", "Reactor", "TestSupport", "Crypto",
      ]),
    tests("TimeTests", on: ["Time"]),
    tests("ReactorTests", on: ["Time", "Reactor", "TestSupport"]),
    tests("BenchmarkTests", on: ["upmc-benchmark", "Reactor"]),
    tests("PlainTextTests", on: ["PlainText"]),
    tests("JSONTests", on: ["JSON"]),
    tests("MetricsTests", on: ["Metrics"]),
    tests("TracingTests", on: ["Tracing", "Time"]),
    tests("OTLPTests", on: ["OTLP", "Tracing", "Metrics", "HTTPClient", "Time", "Reactor"]),
    tests("CryptoTests", on: ["Crypto"]),
    tests("MarkdownTests", on: ["Markdown"]),
    tests("GzipTests", on: ["Gzip", "Reactor", "TestSupport"]),
    tests("DomainTests", on: ["Time", "Domain", "JSON", "Crypto"]),
    tests("HTTPServerTests", on: ["HTTPServer", "TLS", "Reactor", "TestSupport"]),
    tests("HTTPClientTests", on: ["HTTPClient", "HTTPServer", "TLS", "Reactor", "TestSupport"]),
    .target(
      name: "TestSupport", dependencies: ["Postgres", "Store", "HTTPServer", "TLS", "Time", "Reactor", "Crypto"],
      path: "Tests/TestSupport", swiftSettings: testing),
    // What measures UPMC against other software: a program among the tests, because production has no use for it.
    .executableTarget(
      name: "upmc-benchmark",
      dependencies: [
        "API", "Server", "APNs", "FCM", "PushTransport", "Simulator", "Operations", "Store", "Domain", "JSON",
        "HTTPServer", "HTTPClient", "HTTP2", "TLS", "Postgres", "Time", "Reactor", arguments, "Crypto", log,
      ], path: "Tests/Benchmarks", swiftSettings: strict),
    // The torture runner: a program among the tests, because it is one.
    .executableTarget(
      name: "upmc-torture",
      dependencies: [
        "Server", "Simulator", "Store", "Domain", "JSON", "EmbeddedPostgres", "Postgres", "HTTPServer", "HTTPClient",
        "Time", "Reactor", "TestSupport", arguments,
      ], path: "Tests/Torture", swiftSettings: testing),
    tests("TortureTests", on: ["upmc-torture", "Simulator", "TestSupport"]),
    tests("PostgresTests", on: ["Postgres", "Time", "Reactor", "TestSupport"]),
    tests("EmbeddedPostgresTests", on: ["EmbeddedPostgres", "Postgres", "Reactor", "TestSupport"]),
    tests(
      "SimulatorTests",
      on: [
        "UPMCClient", "Simulator", "Domain", "HTTP2", "TLS", "HTTPServer", "HTTPClient", "Time", "Reactor",
        "TestSupport",
        "Crypto",
      ]),
    tests("TLSTests", on: ["TLS", "Crypto", "COpenSSL", "Reactor", "TestSupport"]),
    tests("HTTP2Tests", on: ["HTTP2", "Reactor"]),
    tests(
      "DispatcherTests",
      on: [
        "Dispatcher", "Operations", "Store", "Domain", "Postgres", "Time", "Reactor", "Simulator", "TestSupport",
        "Crypto",
      ]),
    tests("PushTransportTests", on: ["PushTransport", "Simulator", "Domain", "Reactor", "TestSupport", "Crypto"]),
    tests(
      "FCMTests",
      on: ["FCM", "PushTransport", "Simulator", "Domain", "Time", "Reactor", "TLS", "TestSupport", "Crypto", log]),
    tests(
      "APNsTests",
      on: [
        "APNs", "PushTransport", "Simulator", "Domain", "HTTP2", "TLS", "Metrics", "Time", "Reactor", "TestSupport",
        "Crypto", log,
      ]),
    tests(
      "OperationsTests",
      on: ["Operations", "Store", "Domain", "JSON", "Postgres", "TLS", "Time", "Reactor", "TestSupport", "Crypto"]),
    tests("CommandTests", on: ["upmc", "Simulator", "Postgres", "TLS", "Reactor", "TestSupport", "Crypto"]),
    tests(
      "APITests",
      on: [
        "API", "Operations", "Store", "Domain", "JSON", "Postgres", "HTTPServer", "HTTPClient", "Time", "Reactor",
        "TestSupport",
        "Crypto", "Markdown", "Metrics", "Tracing",
      ]),
    tests(
      "EndToEndTests",
      on: [
        "upmc", "Maintenance", "Server", "Simulator", "API", "Operations", "Store", "Domain", "JSON", "Postgres",
        "HTTPClient",
        "HTTPServer", "WebhookDelivery", "TLS", "Time", "Reactor", "TestSupport", "Markdown", "Crypto",
      ]),
    tests(
      "MaintenanceTests",
      on: [
        "Maintenance", "Server", "Simulator", "Operations", "Store", "Domain", "TLS", "Postgres", "Time", "Reactor",
        "TestSupport",
        "Crypto",
      ]),
    tests(
      "WebhookDeliveryTests",
      on: ["WebhookDelivery", "Store", "Domain", "HTTPClient", "Postgres", "Reactor", "TestSupport", "Crypto"]),
    tests(
      "ServerTests",
      on: [
        "Server", "APNs", "Operations", "Store", "Domain", "HTTPServer", "Postgres", "Time", "Reactor", "TestSupport",
        "Crypto",
      ]),
    tests("StoreTests", on: ["Store", "Domain", "Postgres", "Time", "Reactor", "TestSupport"]),
  ]
)

// The client's privacy manifest, for Apple's tools. A resource makes SwiftPM add a source that imports Foundation, but
// the server's programs do without it: elsewhere the file is left out.
for target in package.targets where target.name == "UPMCClient" {
  #if canImport(Darwin)
    target.resources = [.copy("PrivacyInfo.xcprivacy")]
  #else
    target.exclude = ["PrivacyInfo.xcprivacy"]
  #endif
}

// An app that depends on this package gets the client alone. SwiftPM would resolve every package that is named here, needed
// or not, and hold the app to their exact versions. It reads a dependency's manifest from a repository ("/") and from a
// working copy of its own, beside its `repositories`.
let directory = Context.packageDirectory
let isDependency =
  directory == "/"
  || directory.split(separator: "/").dropLast().last == "checkouts"
    && FileManager.default.fileExists(atPath: directory + "/../../repositories")
if isDependency {
  let client: Set = ["UPMCClient", "UPMCClientURLSession", "UPMCPushExtension", "UPMCPush"]
  package.targets.removeAll { !client.contains($0.name) }
  package.products.removeAll { !client.contains($0.name) }
  package.dependencies = []
}

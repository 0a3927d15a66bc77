// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, outside of the product's: the request parser under libFuzzer. `make fuzz` builds and runs it.
///
/// The sources are the product's own, by symbolic links: the HTTP server and what it is built on, whole, so that no list
/// of files falls behind. They are compiled here with coverage counters, which must not reach the product.
let instrumented: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
]

func module(_ name: String, on dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: instrumented)
}

let package = Package(
  name: "fuzz",
  dependencies: [.package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0")],
  targets: [
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl"),
    module("Time"),
    module("Reactor", on: ["Time", "CLinux", .product(name: "HeapModule", package: "swift-collections")]),
    module("PlainText"),
    module("Metrics"),
    module("Tracing", on: ["Time"]),
    module("Crypto", on: ["COpenSSL"]),
    module("TLS", on: ["Crypto", "Reactor", "COpenSSL"]),
    module("HTTPServer", on: ["TLS", "Metrics", "Tracing", "PlainText", "Time", "Reactor"]),
    .executableTarget(
      name: "Fuzz", dependencies: ["HTTPServer", "Reactor"],
      swiftSettings: instrumented + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
    // Writes the hostile requests of the tests as files, for the fuzzer to begin with.
    .executableTarget(name: "Seeds", swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)

// swift-tools-version: 6.2
import PackageDescription

/// Holds the version of a package that another package brings. Without a user it would be warned of with every build, so
/// it has one on a platform that is never built for: nothing is compiled or linked for it.
func held(_ product: String, of package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(platforms: [.windows]))
}

/// What the benchmark measures against, where the peer is itself a Swift package: outside of the product's graph, so that
/// nothing of it can ever be linked into the product. `make bench` builds it.
///
/// APNSwift, a peer of P1, belongs here too.
let package = Package(
  name: "peers",
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
    .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
    // What Hummingbird brings: a figure that is compared with an earlier one is of the same peer.
    .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
    .package(url: "https://github.com/apple/swift-algorithms.git", exact: "1.2.1"),
    .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
    .package(url: "https://github.com/apple/swift-async-algorithms.git", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-atomics.git", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
    .package(url: "https://github.com/apple/swift-collections.git", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-configuration.git", exact: "1.4.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", exact: "1.7.3"),
    .package(url: "https://github.com/apple/swift-http-structured-headers.git", exact: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", exact: "1.46.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
    .package(url: "https://github.com/apple/swift-nio-transport-services.git", exact: "1.28.0"),
    .package(url: "https://github.com/apple/swift-numerics.git", exact: "1.1.1"),
    .package(url: "https://github.com/apple/swift-service-context.git", exact: "1.5.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-system.git", exact: "1.8.1"),
  ],
  targets: [
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq"),
    .executableTarget(
      name: "HummingbirdPeer",
      dependencies: [
        "CLibPQ", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Crypto", package: "swift-crypto"),
        held("AsyncHTTPClient", of: "async-http-client"),
        held("Algorithms", of: "swift-algorithms"),
        held("SwiftASN1", of: "swift-asn1"),
        held("AsyncAlgorithms", of: "swift-async-algorithms"),
        held("Atomics", of: "swift-atomics"),
        held("X509", of: "swift-certificates"),
        held("DequeModule", of: "swift-collections"),
        held("Configuration", of: "swift-configuration"),
        held("Tracing", of: "swift-distributed-tracing"),
        held("StructuredFieldValues", of: "swift-http-structured-headers"),
        held("HTTPTypes", of: "swift-http-types"),
        held("Logging", of: "swift-log"),
        held("Metrics", of: "swift-metrics"),
        held("NIOCore", of: "swift-nio"),
        held("NIOExtras", of: "swift-nio-extras"),
        held("NIOHTTP2", of: "swift-nio-http2"),
        held("NIOSSL", of: "swift-nio-ssl"),
        held("NIOTransportServices", of: "swift-nio-transport-services"),
        held("Numerics", of: "swift-numerics"),
        held("ServiceContextModule", of: "swift-service-context"),
        held("ServiceLifecycle", of: "swift-service-lifecycle"),
        held("SystemPackage", of: "swift-system"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)

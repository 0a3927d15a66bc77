// swift-tools-version: 6.2
import PackageDescription

/// What the benchmark measures against, where the peer is itself a Swift package: outside of the product's graph, so that
/// nothing of it can ever be linked into the product. `make bench` builds it.
///
/// APNSwift, a peer of P1, belongs here too.
let package = Package(
  name: "peers",
  dependencies: [
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.2"),
  ],
  targets: [
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq"),
    .executableTarget(
      name: "HummingbirdPeer",
      dependencies: [
        "CLibPQ", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)

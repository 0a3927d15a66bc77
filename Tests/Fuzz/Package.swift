// swift-tools-version: 6.2
import PackageDescription

/// A package of its own, outside of the product's: the request parser under libFuzzer. `make fuzz` builds and runs it.
///
/// The sources are the product's own, by symbolic links, and only those files that turn bytes into requests: compiled
/// here with coverage counters, which must not reach the product.
let instrumented: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
]

let package = Package(
  name: "fuzz",
  targets: [
    .systemLibrary(name: "CLinux"),
    .target(
      name: "Reactor", dependencies: ["CLinux"],
      sources: [
        "ByteBuffer.swift", "FileDescriptor.swift", "IPAddress.swift", "SocketAddress.swift", "SpanCopies.swift",
        "SpoolFile.swift", "SystemError.swift",
      ],
      swiftSettings: instrumented),
    .target(name: "PlainText", swiftSettings: instrumented),
    .target(
      name: "HTTPServer", dependencies: ["PlainText", "Reactor"],
      sources: [
        "Authority.swift", "BearerToken.swift", "ByteClass.swift", "ChunkedDecoder.swift", "FormDecoding.swift",
        "Forwarding.swift", "Limits.swift", "Malformed.swift", "Method.swift", "OwnedRequest.swift",
        "ProxyHeader.swift",
        "Request.swift", "RequestFields.swift", "RequestHead.swift", "RequestID.swift", "RequestLine.swift",
        "RequestParser.swift", "RequestStore.swift", "RequestTarget.swift", "SpooledBody.swift", "Status.swift",
      ],
      swiftSettings: instrumented),
    .executableTarget(
      name: "Fuzz", dependencies: ["HTTPServer", "Reactor"],
      swiftSettings: instrumented + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]),
    // Writes the hostile requests of the tests as files, for the fuzzer to begin with.
    .executableTarget(name: "Seeds", swiftSettings: [.swiftLanguageMode(.v6)]),
  ]
)

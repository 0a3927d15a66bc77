import Foundation
import Reactor
import TestSupport
import TestTier
import Testing

/// The parts for Apple's systems, type-checked against stubs of Apple's modules; and their names, held against those of the
/// existing SDK's guide.
@Suite(.slow, .serialized) struct AppleTypeCheckTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// Records what was said, when it did not go well.
  static func expectSuccess(
    _ command: [String], _ environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    if let said = try run(command, environment) {
      Issue.record("\(command.joined(separator: " ")): \(said)", sourceLocation: sourceLocation)
    }
  }

  /// - Returns: nil when it went well, what it said otherwise.
  static func run(_ command: [String], _ environment: [String: String] = [:]) throws -> String? {
    let directory = TemporaryDirectory.make(prefix: "upmc-run.")
    defer { TemporaryDirectory.remove(directory) }
    let own = ProcessInfo.processInfo.environment
    let variables = ["PATH": own["PATH"] ?? "/usr/bin:/bin", "HOME": directory].merging(environment) { $1 }
    var child = try ChildProcess.start(
      command, environment: variables.map { "\($0.key)=\($0.value)" }, output: .file(directory + "/log"),
      errors: .file(directory + "/log"))
    // A compiler on a busy machine takes as long as it takes; only what hangs is ended.
    guard child.wait(atMost: .seconds(3_600)) == .exited(0) else {
      return String((TemporaryDirectory.read(directory + "/log") ?? "").suffix(4_000))
    }
    return nil
  }

  @Test func `the Apple parts and the example app type-check, and a wrong call does not`() throws {
    let modules = TemporaryDirectory.make(prefix: "upmc-stubs.")
    defer { TemporaryDirectory.remove(modules) }
    try Self.expectSuccess(["\(Self.root)/Tests/AppleStubs/type-check", modules])
    let wrong = modules + "/Wrong.swift"
    TemporaryDirectory.write(
      wrong,
      """
      import UPMCPush
      @MainActor func wrong(_ manager: PushManager) {
        manager.update(nil, badge: "three", completionHandler: nil)
      }
      """)
    let said = try Self.run([
      "swiftc", "-typecheck", "-Xfrontend", "-enable-objc-interop", "-I", modules, "-module-cache-path",
      modules + "/cache", wrong,
    ])
    #expect(said?.contains("cannot convert value of type 'String'") == true, "\(said ?? "it passes")")
  }

  /// Selector as the documents spell it, and the file that declares it.
  static let selectors = [
    ("defaultManager", "PushManager"), ("initializeWithDelegate:", "PushManager"),
    ("initilaizeWithDelegate:", "PushManager"),
    ("registerServiceAndUser:clientUID:clientName:completionHandler:", "PushManager"),
    ("registerService:completionHandler:", "PushManager"),
    ("registerUser:clientUID:clientName:completionHandler:", "PushManager"),
    ("unregisterUser:completionHandler:", "PushManager"), ("unregisterService:completionHandler:", "PushManager"),
    ("registerGroup:groupSequenceNumber:completionHandler:", "PushManager"),
    ("unregisterGroup:groupSequenceNumber:completionHandler:", "PushManager"),
    ("read:notification:completionHandler:", "PushManager"),
    ("read:notification:badgeOption:completionHandler:", "PushManager"),
    ("read:notification:badgeOption:badge:completionHandler:", "PushManager"),
    ("update:badge:completionHandler:", "PushManager"),
    ("feedback:notification:clientUID:psID:completionHandler:", "PushManager"), ("info", "PushManager"),
    ("notificationCenter", "PushManager"), ("changeHost:", "PushInfo"), ("clientUID", "PushInfo"),
    ("pushServiceID", "PushInfo"), ("host", "PushInfo"), ("badgeNumber", "PushInfo"),
    ("manager:didReceiveUserNotification:status:messageUID:", "PushManagerDelegate"),
    ("START", "PushManagerDelegate"), ("ACTIVE", "PushManagerDelegate"), ("BACKGROUND", "PushManagerDelegate"),
    ("keep", "PushManagerDelegate"), ("reset", "PushManagerDelegate"), ("update", "PushManagerDelegate"),
    ("force", "PushManagerDelegate"),
  ]

  @Test(arguments: selectors) func `each name of the documents is there for Objective-C`(
    name: String, file: String
  ) throws {
    let text = try #require(TemporaryDirectory.read("\(Self.root)/Sources/UPMCPush/\(file).swift"))
    let forms =
      name.contains(":")
      ? ["@objc(\(name))"]
      : [
        "@objc public static let \(name) ", "@objc public let \(name):", "@objc public var \(name):",
        "    case \(name)\n",
      ]
    #expect(forms.contains { text.contains($0) }, "\(name) in \(file).swift")
    #expect(text.contains("@objc(PushManagerBadgeOption)") || !["keep", "reset", "update", "force"].contains(name))
  }
}

/// A package outside that depends on this repository as an app does: by address and version, with no C library at hand.
@Suite(.slow, .serialized) struct OutsidePackageTests {
  private static let manifest = """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "outside", platforms: [.iOS(.v15), .macOS(.v12)],
      dependencies: [.package(url: "file://REPOSITORY", from: "1.0.0")],
      targets: [
        .executableTarget(name: "outside", dependencies: [.product(name: "UPMCPush", package: "upmc")])
      ])
    """
  private static let program = """
    import UPMCClient
    import UPMCClientURLSession
    import UPMCPush
    import UPMCPushExtension

    let push = try ReceivedPayload(json: Array(#"{"aps":{"alert":"x"},"mps":{"seqno":"1","pushkey":"a"}}"#.utf8))
    let settings = ClientSettings(
      server: try ServerAddress("http://127.0.0.1:9"), appID: "app", clientKey: "key", directory: CommandLine.arguments[1])
    let client = PushClient(
      settings, transport: URLSessionTransport(), keys: FileKeyStore(directory: settings.directory))
    let outcome = await client.receive(push)
    precondition(outcome == .refused("the device is not registered"))
    do {
      try await client.register(token: "ab")
      fatalError("registered without a server")
    } catch {
      guard case .noAnswer = error else { fatalError("another error") }
    }
    """

  @Test func `an outside package builds and runs with the product, and nothing of the server comes with it`() throws {
    let directory = TemporaryDirectory.make(prefix: "upmc-outside.", under: TemporaryDirectory.roomy)
    defer { TemporaryDirectory.remove(directory) }
    let (repository, outside) = (directory + "/upmc", directory + "/outside")
    let root = AppleTypeCheckTests.root
    let git = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.com", "-C", repository]
    for command in [
      ["mkdir", "-p", repository, outside + "/Sources/outside"],
      ["cp", "-r", "\(root)/Package.swift", "\(root)/Sources", "\(root)/Tests", repository],
      git + ["init", "--quiet"], git + ["add", "--all"], git + ["commit", "--quiet", "--message", "All"],
      git + ["tag", "1.0.0"],
    ] {
      try AppleTypeCheckTests.expectSuccess(command)
    }
    TemporaryDirectory.write(
      outside + "/Package.swift", Self.manifest.replacing("REPOSITORY", with: repository))
    TemporaryDirectory.write(outside + "/Sources/outside/main.swift", Self.program)
    // Including a header of a C library is an error.
    TemporaryDirectory.write(directory + "/poison.h", "#error \"a header of a C library is read\"\n")
    let headers = [
      ("/usr/include/postgresql", ["libpq-fe.h"]), ("/usr/include/nghttp2", ["nghttp2.h"]),
      ("/usr/include/openssl", ["ssl.h", "evp.h"]),
      ("/usr/include", ["cmark-gfm.h", "cmark-gfm-extension_api.h", "cmark-gfm-core-extensions.h", "zlib.h"]),
    ]
    let roots = headers.map { path, names in
      let files = names.map { #"{"type":"file","name":"\#($0)","external-contents":"\#(directory)/poison.h"}"# }
      return #"{"type":"directory","name":"\#(path)","contents":[\#(files.joined(separator: ","))]}"#
    }
    TemporaryDirectory.write(
      directory + "/hidden.yaml", #"{"version":0,"roots":[\#(roots.joined(separator: ","))]}"#)
    // No editor looks for anything in it.
    let swift = ["swift", "build", "--package-path", outside, "--disable-sandbox", "--disable-index-store"]
    let hiding = ["-Xcc", "-ivfsoverlay", "-Xcc", directory + "/hidden.yaml"]
    let nowhere = ["PKG_CONFIG_LIBDIR": "/nonexistent", "PKG_CONFIG_PATH": "/nonexistent"]
    try AppleTypeCheckTests.expectSuccess(swift + hiding, nowhere)
    try AppleTypeCheckTests.expectSuccess([outside + "/.build/debug/outside", outside + "/files"])
    let resolved = try #require(TemporaryDirectory.read(outside + "/Package.resolved"))
    #expect(resolved.split(separator: "\"identity\"").count == 2, "\(resolved)")
    // And what is hidden would be found.
    for header in headers.flatMap({ path, names in names.map { "\(path)/\($0)" } }) {
      TemporaryDirectory.write(directory + "/reads.c", "#include \"\(header)\"\n")
      let said = try AppleTypeCheckTests.run([
        "clang", "-fsyntax-only", "-ivfsoverlay", directory + "/hidden.yaml", directory + "/reads.c",
      ])
      #expect(said?.contains("a header of a C library is read") == true, "\(header): \(said ?? "it is read")")
    }
  }
}

import Foundation
import HTTPClient
import Reactor
import TestSupport
import Testing

/// `oidc-provider-mock` as a process of its own: a provider that people really sign in at. `.ci/fetch-openid-provider` puts
/// it into `.build/openid`.
final class OpenIDProviderProcess {
  let port: UInt16
  var issuer: String { "http://127.0.0.1:\(port)" }
  private var child: ChildProcess?
  private let directory = TemporaryDirectory.make()

  private static let program = TestDatabase.migrationsDirectory + "/../.build/openid/bin/python3"

  init() throws {
    try #require(
      FileManager.default.isExecutableFile(atPath: Self.program),
      "there is no provider in .build/openid: run .ci/fetch-openid-provider")
    port = try LastingPort.find()
  }

  deinit {
    stop()
    TemporaryDirectory.remove(directory)
  }

  /// Starts it, with a new signing key. - Parameters:
  ///   - claims: of the only person there, as JSON with `sub`.
  ///   - tokenSeconds: how long its tokens are good; below zero they have ended when they are made.
  func start(claims: String, tokenSeconds: Int = 3600) throws {
    stop()
    child = try ChildProcess.start(
      [
        Self.program, "-m", "oidc_provider_mock", "--port", "\(port)", "--require-nonce", "true", "--token-max-age",
        "\(tokenSeconds)", "--user-claims", claims,
      ],
      environment: ["PATH=/usr/bin:/bin", "NO_COLOR=1"], output: .file(directory + "/log"),
      errors: .file(directory + "/log"))
    _ = try poll("no provider: \(TemporaryDirectory.read(directory + "/log") ?? "")", every: .milliseconds(50)) {
      let client = try? HTTPClient.Blocking(HTTPOrigin(host: "127.0.0.1", port: port))
      return (try? client?.send(HTTPRequest("GET", "/jwks")))?.status == 200 ? true : nil
    }
  }

  func stop() {
    _ = child?.stop(timeout: .seconds(20))
    child = nil
  }
}

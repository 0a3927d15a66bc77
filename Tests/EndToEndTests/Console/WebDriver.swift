import Foundation
import HTTPClient
import Reactor
import TestSupport
import Testing

/// One Chromium without a window, driven through `chromedriver` by the WebDriver protocol (W3C): HTTP and JSON.
///
/// Both programs come from Debian (`chromium-headless-shell`, `chromium-driver`). The shell is Chromium's engine
/// without what surrounds a page: it starts in a third of the processor time, and opens a page in a fifth. The profile
/// is new and goes with it; names other than 127.0.0.1 do not resolve, so nothing can come from elsewhere.
final class WebDriver {
  private var driver: ChildProcess
  private let client: HTTPClient.Blocking
  private let directory: String
  private var session = ""

  /// The program that chromedriver starts. Not written by the tests: as long as a child that another thread has just
  /// forked holds a file open for writing, nobody can execute it.
  private static let browser = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Browser/headless-shell").standardized

  /// The name that elements have in the protocol.
  private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

  private static let startAttempts = 5

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  init() throws {
    directory = TemporaryDirectory.make()
    let log = directory + "/driver.log"
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    do {
      driver = try ChildProcess.start(
        ["chromedriver", "--port=0", "--allowed-ips=127.0.0.1"],
        environment: ["PATH=\(path)", "HOME=\(directory)", "TMPDIR=\(directory)", "LANG=C.UTF-8"], output: .file(log),
        errors: .file(log))
    } catch {
      throw Failure(description: "\(error): install what the tests need (`make test-deps`).")
    }
    let port = try Self.port(log)
    var configuration = HTTPClient.Configuration()
    configuration.timeout = .patience
    configuration.bodyBytes = 64 << 20
    client = try HTTPClient.Blocking(
      try HTTPOrigin(host: "127.0.0.1", port: port), configuration: configuration)
    var answer: Any?
    for attempt in 1...Self.startAttempts {
      do {
        let capabilities = Self.capabilities(profile: "\(directory)/profile-\(attempt)")
        answer = try call("POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
        break
      } catch {
        // chromedriver gives a browser a minute to start, and a busy machine may take longer.
        guard attempt < Self.startAttempts else { throw error }
      }
    }
    session = try #require((answer as? [String: Any])?["sessionId"] as? String)
  }

  deinit {
    _ = try? call("DELETE", "/session/\(session)", nil)
    _ = driver.stop(timeout: .seconds(10))
    TemporaryDirectory.remove(directory)
  }

  private static func port(_ log: String) throws -> UInt16 {
    try poll("chromedriver has not started: \(TemporaryDirectory.read(log) ?? "")") {
      (TemporaryDirectory.read(log) ?? "").firstMatch(of: /started successfully on port (\d+)/).flatMap { UInt16($0.1) }
    }
  }

  private static func capabilities(profile: String) -> [String: Any] {
    [
      "browserName": "chrome",
      // Milliseconds. The accessibility rules read the longest pages of the reference for many seconds.
      "timeouts": [
        "script": TestSupport.Limits.timeoutSeconds * 1_000, "pageLoad": TestSupport.Limits.timeoutSeconds * 1_000,
      ],
      "goog:loggingPrefs": ["browser": "ALL"],
      "goog:chromeOptions": [
        "binary": browser.path,
        "args": [
          "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
          "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-proxy-server",
          "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--window-size=1280,900",
          // A pulsing dot repaints the page sixty times a second, which takes a tenth of a core while it is shown.
          "--force-color-profile=srgb", "--force-prefers-reduced-motion",
          "--user-data-dir=\(profile)", "--lang=en-US",
        ],
      ],
    ]
  }

  // MARK: Commands

  /// One command; throws what the browser says went wrong.
  @discardableResult
  private func call(_ method: String, _ target: String, _ body: [String: Any]?) throws -> Any? {
    var request = HTTPRequest(method, target)
    if let body {
      request = HTTPRequest.json(
        method, target, bearer: nil, body: Array(try JSONSerialization.data(withJSONObject: body)))
    }
    let response = try client.send(request)
    let object = try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
    guard response.status == 200 else {
      let value = object?["value"] as? [String: Any]
      throw Failure(
        description: "\(target): \(value?["error"] ?? response.status) \(("\(value?["message"] ?? "")").prefix(400))")
    }
    let value = object?["value"]
    return value is NSNull ? nil : value
  }

  func go(_ url: String) throws { try call("POST", "/session/\(session)/url", ["url": url]) }

  /// Opens a tab or a window of its own (`tab`, `window`), and goes there. - Returns: its name.
  func open(_ type: String) throws -> String {
    let made = try call("POST", "/session/\(session)/window/new", ["type": type]) as? [String: Any]
    let handle = try #require(made?["handle"] as? String)
    try turn(to: handle)
    return handle
  }

  /// Commands go to this tab from now on.
  func turn(to handle: String) throws { try call("POST", "/session/\(session)/window", ["handle": handle]) }

  func back() throws { try call("POST", "/session/\(session)/back", [:]) }

  /// Runs a function body in the page and gives what it returns.
  @discardableResult
  func script(_ text: String, _ arguments: [Any] = []) throws -> Any? {
    try call("POST", "/session/\(session)/execute/sync", ["script": text, "args": arguments])
  }

  /// A command of the browser's own protocol.
  @discardableResult
  func developer(_ command: String, _ parameters: [String: Any]) throws -> [String: Any] {
    try call("POST", "/session/\(session)/goog/cdp/execute", ["cmd": command, "params": parameters]) as? [String: Any]
      ?? [:]
  }

  func find(_ selector: String) throws -> String {
    let found = try call(
      "POST", "/session/\(session)/element", ["using": "css selector", "value": selector])
    return try #require((found as? [String: Any])?[Self.elementKey] as? String)
  }

  func click(element: String) throws { try call("POST", "/session/\(session)/element/\(element)/click", [:]) }

  func type(element: String, _ text: String) throws {
    try call("POST", "/session/\(session)/element/\(element)/value", ["text": text])
  }

  func clear(element: String) throws { try call("POST", "/session/\(session)/element/\(element)/clear", [:]) }

  /// Presses one key, wherever the focus is. Tab is U+E004, Enter U+E007, Escape U+E00C.
  /// - Parameter held: a key that is down meanwhile, such as Control (U+E009).
  func press(_ key: String, with held: String? = nil) throws {
    let keys = (held.map { [$0] } ?? []) + [key]
    let actions =
      keys.map { ["type": "keyDown", "value": $0] } + keys.reversed().map { ["type": "keyUp", "value": $0] }
    try call(
      "POST", "/session/\(session)/actions", ["actions": [["type": "key", "id": "keyboard", "actions": actions]]])
  }

  /// What the page said in its console since the last time, policy violations included.
  func consoleLines() throws -> [(level: String, text: String)] {
    let lines = try call("POST", "/session/\(session)/se/log", ["type": "browser"]) as? [[String: Any]] ?? []
    return lines.map { ("\($0["level"] ?? "")", "\($0["message"] ?? "")") }
  }
}

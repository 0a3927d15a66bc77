internal import Reactor

/// An HTTP/2 server that is not ours, in the place of FCM: the Python package h2. It accepts every message and notes each
/// request. Killed with this object.
package final class OtherHTTP2Server {
  private let directory = TemporaryDirectory.make(prefix: "upmc-h2.")
  private let output: String
  private var process: ChildProcess?

  /// - Parameter pem: certificate and key for 127.0.0.1.
  package init(pem: String) throws {
    let script = TestDatabase.migrationsDirectory + "/../Tests/Firebase/h2_server.py"
    output = directory + "/requests"
    let identity = directory + "/server.pem"
    TemporaryDirectory.write(identity, pem)
    // The system's own Python: it has Debian's packages.
    process = try ChildProcess.start(["/usr/bin/python3", "-B", script, identity], output: .file(output))
  }

  deinit {
    process = nil
    TemporaryDirectory.remove(directory)
  }

  private var lines: [Substring] { (TemporaryDirectory.read(output) ?? "").split(separator: "\n") }

  /// Waits for the port that it listens on.
  package func port() throws -> UInt16 {
    try poll("it does not say where it listens") { lines.first.flatMap { UInt16($0) } }
  }

  /// The requests so far, each as `{"headers": {…}, "body": {…}}`.
  package var requests: [String] { lines.dropFirst().map(String.init) }
}

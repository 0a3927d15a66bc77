import Foundation
import Reactor
import TestSupport

/// An `upmc serve` process that can be killed, frozen, terminated and restarted, always on the same port.
final class ServerNode {
  enum State: Equatable { case down, up, frozen, stopping }

  let number: Int
  let port: UInt16
  /// Its proxy to the database; nil: it connects directly.
  let proxy: DatabaseProxy?
  /// Nil: its clock cannot be shifted.
  let clock: WrongClock?
  private(set) var state = State.down
  private(set) var identifier: Int32 = 0
  private var child: ChildProcess?
  private let time = SystemClock()
  private var startedAt = SystemClock().now
  private let environment: [String]
  private let log: String

  /// - Parameter portVariable: an additional variable that carries its port.
  init(
    number: Int, environment: [String], log: String, proxy: DatabaseProxy? = nil, clock: WrongClock? = nil,
    portVariable: String? = nil
  ) throws {
    self.number = number
    self.log = log
    self.proxy = proxy
    self.clock = clock
    let port = try LastingPort.find()
    self.port = port
    self.environment =
      environment + (["UPMC_LISTEN=127.0.0.1:\(port)"] + (portVariable.map { ["\($0)=\(port)"] } ?? []))
  }

  func start() throws {
    // If this runner is killed, the kernel ends the server too.
    let started = try ChildProcess.start(
      ["setpriv", "--pdeathsig", "KILL", "--", Program.path, "serve"], environment: environment, output: .file(log),
      errors: .file(log))
    identifier = started.identifier
    startedAt = time.now
    child = consume started
    state = .up
  }

  /// SIGKILL: the process can neither prevent it nor prepare for it.
  func kill() {
    child = nil
    state = .down
  }

  func terminate() {
    child?.signal(SIGTERM)
    state = .stopping
  }

  func freeze() {
    child?.signal(SIGSTOP)
    state = .frozen
  }

  func thaw() {
    child?.signal(SIGCONT)
    state = .up
  }

  /// Time since the start.
  var seconds: Double { Double((time.now - startedAt).nanoseconds) / 1e9 }

  /// How it exited by itself since the start; nil while it runs. Reaps it once.
  func ending() -> ChildProcess.Ending? {
    guard let ending = child?.wait(atMost: .zero) else { return nil }
    child = nil
    state = .down
    return ending
  }

  /// Whether its log contains these words.
  func hasSaid(_ words: String) -> Bool {
    (try? String(contentsOfFile: log, encoding: .utf8))?.contains(words) == true
  }

  /// The end of its log.
  var lastLogLines: String {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(6).joined(separator: "\n")
  }
}

import Foundation
import Reactor
import TestSupport

/// `upmc serve` as a process that can be killed, frozen, asked to stop and started again, always at the same port.
final class ServerNode {
  enum State: Equatable { case down, up, frozen, stopping }

  let number: Int
  let port: UInt16
  /// Its way to the database; nil: straight.
  let proxy: DatabaseProxy?
  /// Nil: its clock cannot be set wrong.
  let clock: WrongClock?
  private(set) var state = State.down
  private(set) var identifier: Int32 = 0
  private var child: ChildProcess?
  private let time = SystemClock()
  private var startedAt = SystemClock().now
  private let environment: [String]
  private let log: String

  /// - Parameter portVariable: one more variable that tells its port.
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
    // Should this runner be killed, the kernel takes the server with it.
    let started = try ChildProcess.start(
      ["setpriv", "--pdeathsig", "KILL", "--", Program.path, "serve"], environment: environment, output: .file(log),
      errors: .file(log))
    identifier = started.identifier
    startedAt = time.now
    child = consume started
    state = .up
  }

  /// SIGKILL: nothing can be prevented or prepared.
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

  /// Since it was started.
  var seconds: Double { Double((time.now - startedAt).nanoseconds) / 1e9 }

  /// How it ended by itself since it was started; nil while it runs. Reaped once.
  func ending() -> ChildProcess.Ending? {
    guard let ending = child?.wait(atMost: .zero) else { return nil }
    child = nil
    state = .down
    return ending
  }

  /// Whether these words are in its log.
  func hasSaid(_ words: String) -> Bool {
    (try? String(contentsOfFile: log, encoding: .utf8))?.contains(words) == true
  }

  /// The end of what it wrote.
  var lastWords: String {
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(6).joined(separator: "\n")
  }
}

internal import FoundationEssentials
internal import Reactor

/// Counts the instructions that a server executes in user space, thread by thread. Unlike a time, the number hardly
/// depends on the machine or on what else runs there.
struct Callgrind {
  /// The server, some fifty times slower than without.
  let program: Program
  private let directory: String

  /// The options of valgrind, to be put before the server's command. Counting begins with `count`.
  private static func prefix(_ directory: String) -> [String] {
    [
      "valgrind", "--tool=callgrind", "--instr-atstart=no", "--separate-threads=yes",
      "--callgrind-out-file=\(directory)/callgrind.%p", pipes(directory),
    ]
  }

  /// Where valgrind and its control meet. The default depends on TMPDIR, which the server does not inherit.
  private static func pipes(_ directory: String) -> String { "--vgdb-prefix=\(directory)/vgdb" }

  /// - Parameter start: starts the server, with these words before its command.
  init(in directory: String, start: (_ prefix: [String]) throws -> Program) throws {
    self.directory = directory
    program = try start(Self.prefix(directory))
  }

  /// Instructions of the busiest thread during `body`: that of the requests. Other threads only wait meanwhile.
  /// - Parameter profile: path for that thread's profile; nil to discard it.
  func count(profile: String? = nil, _ body: () throws -> Void) throws -> Double {
    try control(["--instr=on"])
    do {
      try body()
    } catch {
      // A server that has ended explains more than a refused connection.
      try program.checkIsRunning()
      throw error
    }
    try control(["--instr=off"])
    try control(["--dump"])
    let found = try dumps().map { (file: $0, count: try Self.total(TextFile.text(of: $0))) }
    guard let most = found.max(by: { $0.count < $1.count }), most.count > 0 else {
      throw MeasuringError("callgrind counted nothing; \(directory) has \(found.count) dumps")
    }
    if let profile {
      if FileManager.default.fileExists(atPath: profile) { try FileManager.default.removeItem(atPath: profile) }
      try FileManager.default.copyItem(atPath: most.file, toPath: profile)
    }
    for file in dumps() { try FileManager.default.removeItem(atPath: file) }
    return most.count
  }

  private func control(_ options: [String]) throws {
    let report = try ChildProcess.run(
      ["callgrind_control", Self.pipes(directory)] + options + ["\(program.tree.root)"], withErrors: true,
      atMost: .seconds(60))
    // Without such a process it complains and succeeds.
    guard report.succeeded, report.text.contains("PID \(program.tree.root)") else {
      try program.checkIsRunning()
      throw MeasuringError("callgrind_control: \(report.text)")
    }
  }

  /// One file for each thread and dump: `callgrind.PID.DUMP-THREAD`.
  private func dumps() -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    return names.filter { $0.hasPrefix("callgrind.") && $0.contains("-") }.map { "\(directory)/\($0)" }
  }

  /// The number after `totals:`. That after `summary:` is 0 if a thread's counting began inside a call.
  static func total(_ dump: String) throws -> Double {
    for line in dump.split(separator: "\n") where line.hasPrefix("totals:") {
      if let number = line.split(separator: " ").last.flatMap({ Double($0) }) { return number }
    }
    throw MeasuringError("a dump of callgrind has no sum")
  }
}

internal import FoundationEssentials
internal import Reactor

/// CPU time of a process's threads with certain names, from `proc(5)`: exact to the microsecond, whereas that of the
/// whole process includes unrelated work.
struct ThreadTimes {
  private let tasks: [String]

  /// - Parameter names: prefixes of thread names, such as `http-`.
  init(of process: Int32, named names: [String]) throws {
    let directory = "/proc/\(process)/task"
    tasks = try FileManager.default.contentsOfDirectory(atPath: directory).map { "\(directory)/\($0)" }.filter { task in
      let name = Self.text("\(task)/comm")
      return names.contains { name.hasPrefix($0) }
    }
    guard !tasks.isEmpty else { throw MeasuringError("process \(process) has no thread of \(names)") }
  }

  /// CPU time so far, in milliseconds, read while none of them is running.
  func milliseconds() throws -> Double {
    let pause = try Wakeup()
    while tasks.contains(where: Self.isRunning) { _ = pause.wait(atMost: .milliseconds(1)) }
    return tasks.reduce(0) { sum, task in
      sum + (Double(Self.text("\(task)/schedstat").prefix { $0 != " " }) ?? 0) / 1_000_000
    }
  }

  private static func isRunning(_ task: String) -> Bool {
    // The state follows the name, which is in parentheses.
    let stat = text("\(task)/stat")
    guard let end = stat.lastIndex(of: ")") else { return false }
    return stat[end...].dropFirst(2).first == "R"
  }

  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}

import Foundation
import Glibc
import Reactor
import TestSupport
import Testing

@testable import Server

/// Time on a processor of those threads of a process that do what requests ask for: the HTTP loops and the admin threads.
final class ThreadClock {
  /// `stat` and `schedstat` of each, as `proc(5)` has them; read over and over, so kept open.
  private let files: [(state: Int32, time: Int32)]
  private let pause: Wakeup
  private var buffer = [UInt8](repeating: 0, count: 512)

  init(process: Int32) throws {
    let directory = "/proc/\(process)/task"
    // A thread takes its name when it begins, which may be after the server has answered.
    let workers = try poll("not all threads have begun") { () -> [String]? in
      let tasks = try FileManager.default.contentsOfDirectory(atPath: directory).map { "\(directory)/\($0)" }
      let named = tasks.filter { task in
        let name = TemporaryDirectory.read("\(task)/comm")?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return name.wholeMatch(of: #/(http|admin)-\d+/#) != nil
      }
      return named.count >= HTTPService.loops + ServerLimits.adminThreads ? named : nil
    }
    files = workers.map { (open("\($0)/stat", O_RDONLY | O_CLOEXEC), open("\($0)/schedstat", O_RDONLY | O_CLOEXEC)) }
    pause = try Wakeup()
    try #require(files.count >= 3 && files.allSatisfy { $0.state >= 0 && $0.time >= 0 })
  }

  deinit {
    for (state, time) in files {
      close(state)
      close(time)
    }
  }

  /// Milliseconds so far, read when none of them is at work.
  func now() -> Double {
    while files.contains(where: { isRunning($0.state) }) { _ = pause.wait(atMost: .milliseconds(1)) }
    return files.reduce(0) { sum, file in sum + Double(number(file.time)) / 1_000_000 }
  }

  /// The state stands behind the name, which is in parentheses.
  private func isRunning(_ file: Int32) -> Bool {
    let count = read(file)
    guard let end = buffer[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return false }
    return buffer[end + 2] == UInt8(ascii: "R")
  }

  /// The first number: nanoseconds on a processor.
  private func number(_ file: Int32) -> Int64 {
    buffer[..<read(file)].prefix { $0 != UInt8(ascii: " ") }.reduce(0) { $0 * 10 + Int64($1 &- 48) }
  }

  private func read(_ file: Int32) -> Int { max(0, pread(file, &buffer, buffer.count, 0)) }
}

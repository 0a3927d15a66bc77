internal import FoundationEssentials
internal import Glibc

/// A process and all its descendants, as `proc(5)` shows them.
struct ProcessTree {
  let root: Int32

  /// Seconds on a processor so far, in user and kernel mode, of everything that still lives; in steps of 10 ms.
  var processorSeconds: Double {
    let ticks = members.reduce(0) { sum, process in
      // Fields 14 and 15, counted behind the name, which may hold anything.
      let fields = Self.fields(of: process)
      return sum + (fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0)
    }
    return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Memory in RAM, pages shared between processes counted in each.
  var residentBytes: Int {
    members.reduce(0) { sum, process in
      let fields = Self.fields(of: process)
      return sum + (fields.count > 21 ? (Int(fields[21]) ?? 0) : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }

  /// The root and whoever descends from it, now.
  private var members: [Int32] {
    var found: [Int32] = []
    var waiting = [root]
    while let process = waiting.popLast() {
      found.append(process)
      let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
      for thread in threads {
        let children = Self.text("/proc/\(process)/task/\(thread)/children")
        waiting += children.split(separator: " ").compactMap { Int32($0) }
      }
    }
    return found
  }

  /// The fields of `/proc/PID/stat` behind the name, from field 3 on.
  private static func fields(of process: Int32) -> [Substring] {
    let text = text("/proc/\(process)/stat")
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ")
  }

  /// Empty when the process has ended meanwhile.
  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}

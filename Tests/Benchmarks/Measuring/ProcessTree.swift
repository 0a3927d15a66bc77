internal import FoundationEssentials
internal import Glibc

/// A process and all its descendants, from `proc(5)`.
struct ProcessTree {
  let root: Int32

  /// CPU time so far, user and kernel mode, of all processes still alive; resolution 10 ms.
  var processorSeconds: Double {
    let ticks = members.reduce(0) { sum, process in
      // Fields 14 and 15, counted after the name, which may contain anything.
      let fields = Self.fields(of: process)
      return sum + (fields.count > 12 ? (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : 0)
    }
    return Double(ticks) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Resident memory, in bytes; pages shared between processes count in each.
  var residentBytes: Int {
    members.reduce(0) { sum, process in
      let fields = Self.fields(of: process)
      return sum + (fields.count > 21 ? (Int(fields[21]) ?? 0) : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }

  /// The root and its current descendants.
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

  /// The fields of `/proc/PID/stat` after the name, from field 3 on.
  private static func fields(of process: Int32) -> [Substring] {
    let text = text("/proc/\(process)/stat")
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ")
  }

  /// Empty if the process has ended in the meantime.
  private static func text(_ path: String) -> String {
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }
}

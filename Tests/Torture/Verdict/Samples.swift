import Foundation
import Reactor

/// Memory and descriptors of the servers over the run, from `proc(5)`.
struct Samples: Sendable {
  struct Sample: Sendable {
    let at: Double
    let process: Int32
    let residentBytes: Int
    let descriptors: Int
  }

  /// One part of the run, as the page shows it.
  struct Part: Codable, Sendable {
    let medianMiB: Double
    let largestMiB: Double
    let medianDescriptors: Int
    let largestDescriptors: Int
  }

  private var samples: [[Sample]]
  private var takenAt = -1.0

  init(nodes: Int) {
    samples = Array(repeating: [], count: nodes)
  }

  mutating func take(_ nodes: [ServerNode], at seconds: Double) {
    guard seconds - takenAt >= Double(Torture.Limits.sampling.components.seconds) else { return }
    takenAt = seconds
    for (index, node) in nodes.enumerated() where node.state == .up {
      guard let memory = Self.residentBytes(node.identifier), memory > 0 else { continue }
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(node.identifier)/fd"))?.count
      samples[index].append(
        Sample(
          at: seconds, process: node.identifier, residentBytes: memory, descriptors: descriptors ?? 0))
    }
  }

  /// The second field of `statm`, in pages of 4 KiB.
  private static func residentBytes(_ process: Int32) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8) else { return nil }
    return text.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 * 4096 }
  }

  /// Beginning, middle and end of the run for each node.
  var thirds: [[Part]] {
    samples.map { samples in
      let size = max(1, samples.count / 3)
      return (0..<3).compactMap { part in
        let some = part == 2 ? Array(samples.dropFirst(2 * size)) : Array(samples.dropFirst(part * size).prefix(size))
        guard !some.isEmpty else { return nil }
        let memory = some.map { Double($0.residentBytes) / 1_048_576 }.sorted()
        let descriptors = some.map(\.descriptors).sorted()
        return Part(
          medianMiB: memory[memory.count / 2], largestMiB: memory[memory.count - 1],
          medianDescriptors: descriptors[descriptors.count / 2], largestDescriptors: descriptors[descriptors.count - 1])
      }
    }
  }

  /// Growth beyond noise. Memory: the last third of the run against the first. Descriptors: the same within each
  /// process, because a restarted one has other clients and none of its predecessor's descriptors; and against what is
  /// usual for the node, because a process that starts while the networks are away has few at first.
  var objections: [String] {
    thirds.enumerated().compactMap { index, parts in
      guard parts.count == 3, samples[index].count >= 60 else { return nil }
      if parts[2].medianMiB > parts[0].medianMiB * 1.4 + 20 {
        return "server \(index + 1) grew from \(parts[0].medianMiB) to \(parts[2].medianMiB) MiB"
      }
      return descriptorGrowth(of: samples[index]).map { first, last in
        "server \(index + 1) went from \(first) to \(last) descriptors within one process"
      }
    }
  }

  private func descriptorGrowth(of samples: [Sample]) -> (first: Int, last: Int)? {
    let usual = Self.median(samples.map(\.descriptors)[...])
    for life in Dictionary(grouping: samples, by: \.process).values where life.count >= 60 {
      let numbers = life.sorted { $0.at < $1.at }.map(\.descriptors)
      let size = numbers.count / 3
      let (first, last) = (Self.median(numbers.prefix(size)), Self.median(numbers.suffix(size)))
      if last > max(first, usual) + 40 { return (first, last) }
    }
    return nil
  }

  private static func median(_ numbers: ArraySlice<Int>) -> Int { numbers.sorted()[numbers.count / 2] }
}

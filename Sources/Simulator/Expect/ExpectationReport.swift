internal import FoundationEssentials

/// What a conformance run has found.
package struct ExpectationReport: Codable, Sendable {
  /// One step of it.
  package struct Step: Codable, Sendable {
    package let title: String
    package let faults: [ClientFault]
  }

  package internal(set) var steps: [Step] = []
  /// Parts that the client lacks; it was not asked about them.
  package internal(set) var without: [String] = []

  /// Each kind of fault once, in the order of their list.
  package var faults: [ClientFault] {
    let all = Set(steps.flatMap(\.faults))
    return ClientFault.allCases.filter(all.contains)
  }

  package var hasPassed: Bool { faults.isEmpty }

  /// For people: a line for each step, and a sentence for each fault.
  package var text: String {
    var lines = steps.enumerated().map { number, step in
      "\(step.faults.isEmpty ? "ok  " : "FAIL") \(number + 1). \(step.title)"
        + step.faults.map { "\n       \($0.rawValue): \($0.sentence)" }.joined()
    }
    let failed = steps.count { !$0.faults.isEmpty }
    lines.append(failed == 0 ? "\(steps.count) steps, all as expected" : "\(failed) of \(steps.count) steps failed")
    if !without.isEmpty { lines.append("not asked about: \(without.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }

  package var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}

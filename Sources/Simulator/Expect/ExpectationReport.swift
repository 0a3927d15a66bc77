internal import FoundationEssentials

/// Result of a conformance run.
package struct ExpectationReport: Codable, Sendable {
  /// Result of one step.
  package struct Step: Codable, Sendable {
    package let title: String
    package let faults: [ClientFault]
  }

  package internal(set) var steps: [Step] = []
  /// Parts that the client lacks, whose steps were omitted.
  package internal(set) var without: [String] = []

  /// The kinds of faults found, each once, in the order of their declaration.
  package var faults: [ClientFault] {
    let all = Set(steps.flatMap(\.faults))
    return ClientFault.allCases.filter(all.contains)
  }

  package var hasPassed: Bool { faults.isEmpty }

  /// The report as text for people: a line per step and a sentence per fault.
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

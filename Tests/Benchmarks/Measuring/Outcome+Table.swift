/// A human-readable form of an outcome.
extension Outcome {
  /// Aligned columns, one line per comparison and requirement.
  var table: String {
    if let failure { return "\(scenario)  FAILED: \(failure)\n" }
    var rows = [["", "case", "ours", "peer", "", "ratio", "target", ""]]
    for comparison in comparisons {
      rows.append([
        scenario, comparison.label, Self.number(comparison.value) + " " + comparison.unit,
        Self.number(comparison.peerValue), comparison.peer, Self.number(comparison.ratio) + " ×",
        comparison.target.map { "≥ \(Self.number($0)) ×" } ?? "", comparison.isMet ? "met" : "MISSED",
      ])
    }
    for requirement in requirements {
      let sign = requirement.side == .atLeast ? "≥" : "≤"
      rows.append([
        scenario, requirement.label, Self.number(requirement.value) + " " + requirement.unit, "", "", "",
        "\(sign) \(Self.number(requirement.limit))", requirement.isMet ? "met" : "MISSED",
      ])
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
    }
    let notes = circumstances.map { "    \($0.name): \($0.value)" }
    return (lines + notes).joined(separator: "\n") + "\n"
  }
}

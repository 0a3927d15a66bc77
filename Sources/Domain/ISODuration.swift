/// ISO 8601 durations of weeks and smaller units: `PT10M`, `P1D`, `P1DT12H`, `PT30S`.
package enum ISODuration {
  /// Formats seconds in the largest unit, at most days, that divides them: `PT15M`, `P365D`, `PT90S`; 0 is `PT0S`. Not
  /// for negative numbers.
  package static func text(_ seconds: Int64) -> String {
    if seconds > 0, seconds % 86_400 == 0 { return "P\(seconds / 86_400)D" }
    if seconds > 0, seconds % 3600 == 0 { return "PT\(seconds / 3600)H" }
    if seconds > 0, seconds % 60 == 0 { return "PT\(seconds / 60)M" }
    return "PT\(seconds)S"
  }

  /// Parses a duration and returns its seconds. Returns nil if malformed, for fractions and numbers of more than nine
  /// digits, and for months and years, whose length varies.
  package static func seconds(_ text: String) -> Int64? {
    var rest = Substring(text)
    guard rest.popFirst() == "P", !rest.isEmpty else { return nil }
    var total: Int64 = 0
    var units: [(Character, Int64)] = [("W", 604_800), ("D", 86_400)]
    var isTime = false
    while !rest.isEmpty {
      if rest.first == "T" {
        guard !isTime, rest.count > 1 else { return nil }
        isTime = true
        rest.removeFirst()
        units = [("H", 3600), ("M", 60), ("S", 1)]
        continue
      }
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard !digits.isEmpty, digits.count <= 9, let number = Int64(digits) else { return nil }
      rest.removeFirst(digits.count)
      // Each unit may occur only once, and units must be in descending order.
      guard let unit = rest.popFirst(), let index = units.firstIndex(where: { $0.0 == unit }) else { return nil }
      total += number * units[index].1
      units.removeSubrange(...index)
    }
    return total
  }
}

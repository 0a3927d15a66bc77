/// The labels that distinguish the series of one metric name, in the order given.
package struct Labels: Sendable, ExpressibleByDictionaryLiteral {
  package let pairs: [(name: String, value: String)]

  package init() {
    pairs = []
  }

  package init(dictionaryLiteral elements: (String, String)...) {
    pairs = elements.map { ($0.0, $0.1) }
  }

  private init(_ pairs: [(name: String, value: String)]) {
    self.pairs = pairs
  }

  package func adding(_ name: String, _ value: String) -> Labels {
    Labels(pairs + [(name: name, value: value)])
  }

  /// The labels in text format, `{a="b",c="d"}`, escaped; empty without labels.
  package var text: String {
    guard !pairs.isEmpty else { return "" }
    return "{" + pairs.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

import Testing

/// The house rules as tests: what reviewers would otherwise have to remember.
///
/// Each rule is a pure function from files to violations, in a file of its own together with its two tests: the tree
/// obeys it, and a small bad sample is found. `SourceTree` reads the files, `SwiftSource` tells code from comments
/// and literals, `ModuleGraph` holds the architecture.
///
/// A violation names file, line, and what to do instead:
///
/// ```
/// Sources/API/Receipts.swift:12: imports Dispatcher; API may only import Crypto, Domain, …
/// ```
struct Violation: Equatable, CustomStringConvertible {
  /// Relative to the top of the repository.
  let path: String
  /// Counted from 1; 0 when the whole file is meant.
  let line: Int
  let message: String

  init(_ path: String, line: Int = 0, _ message: String) {
    self.path = path
    self.line = line
    self.message = message
  }

  var description: String { line > 0 ? "\(path):\(line): \(message)" : "\(path): \(message)" }
}

/// Records all violations as one issue, one a line; none is what every rule wants of the tree.
func expectNone(_ violations: [Violation], sourceLocation: SourceLocation = #_sourceLocation) {
  guard !violations.isEmpty else { return }
  let lines = violations.map(\.description).joined(separator: "\n")
  Issue.record("\(violations.count) against the house rules:\n\(lines)", sourceLocation: sourceLocation)
}

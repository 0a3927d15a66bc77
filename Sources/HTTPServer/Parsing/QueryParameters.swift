package import PlainText

/// A request's query, form-decoded and checked against the names that its route declares. Unknown names are refused,
/// because a client whose parameter is ignored would get the answer to a different question.
package struct QueryParameters: Sendable {
  /// The reason why a query is refused.
  private struct Fault: Error {
    let detail: Sentence
  }

  private let known: [String]
  private var values: [String: String] = [:]

  /// Parses a query; an empty query has no parameters. Throws if a name is unknown or repeated, if the query is not
  /// valid (see `FormDecoding.decode`), or if it has more than 1,000 pairs.
  /// - Parameters:
  ///   - query: the query as sent, without the `?`.
  ///   - known: the names that the route declares, each allowed once.
  ///   - refusal: creates the error to throw from a message of two sentences for the client.
  package init<Refusal: Error>(
    _ query: String, known: [String], orThrow refusal: (Sentence) -> Refusal
  ) throws(Refusal) {
    do throws(Fault) {
      try self.init(query, known: known)
    } catch {
      throw refusal(error.detail)
    }
  }

  private init(_ query: String, known: [String]) throws(Fault) {
    self.known = known
    guard !query.isEmpty else { return }
    guard let pairs = FormDecoding.pairs(in: query.utf8Span.span) else {
      throw Fault(
        detail: "What follows the ? is not percent-encoded UTF-8, or holds too much. \(Self.list(of: known))")
    }
    for (name, value) in pairs {
      guard known.contains(name) else {
        throw Fault(detail: "\"\(Self.shown(name))\" is no parameter here. \(Self.list(of: known))")
      }
      guard values.updateValue(value, forKey: name) == nil else {
        throw Fault(detail: "The parameter \"\(name)\" is there twice. Give it once.")
      }
    }
  }

  /// Value of a parameter that the route declares; nil if it was not sent. For another name, traps in debug builds and
  /// is nil otherwise.
  package subscript(_ name: String) -> String? {
    assert(known.contains(name), "the route has no parameter \(name)")
    return values[name]
  }

  private static func list(of known: [String]) -> Sentence {
    known.isEmpty ? "This call takes no parameters." : "This call takes \(known.joined(separator: ", "))."
  }

  /// Returns a parameter name for an error message, cut to 64 Unicode scalars and an ellipsis if it is longer.
  private static func shown(_ name: String) -> String {
    name.unicodeScalars.count > 64 ? String(String.UnicodeScalarView(name.unicodeScalars.prefix(64))) + "…" : name
  }
}

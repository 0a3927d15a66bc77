/// What stands behind a request's `?`, form-decoded and held against the names that its route knows: a name that is not
/// known is refused, because whoever wrote it meant something by it, and would take the answer for another one.
package struct QueryParameters: Sendable {
  /// Why a query is not taken: one or two sentences, with the names that are known.
  private struct Fault: Error {
    let detail: String
  }

  private let known: [String]
  private var values: [String: String] = [:]

  /// - Parameters:
  ///   - query: as it was sent, without the `?`.
  ///   - known: the names that the route takes, each once at most.
  ///   - refusal: what is thrown, made of one or two sentences with the names that are known.
  package init<Refusal: Error>(
    _ query: String, known: [String], orThrow refusal: (String) -> Refusal
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

  /// Nil when it was not sent. The route must know the name.
  package subscript(_ name: String) -> String? {
    assert(known.contains(name), "the route has no parameter \(name)")
    return values[name]
  }

  private static func list(of known: [String]) -> String {
    known.isEmpty ? "This call takes no parameters." : "This call takes \(known.joined(separator: ", "))."
  }

  /// So much of a name as a sentence can bear.
  private static func shown(_ name: String) -> String {
    name.unicodeScalars.count > 64 ? String(String.UnicodeScalarView(name.unicodeScalars.prefix(64))) + "…" : name
  }
}

/// The constant part of many requests: an ordered list of header fields. Only `:path` and at most one more field (such
/// as `apns-id`) take their value from each request.
///
/// Immutable. Sessions recognise it by identity, so reuse one instance while nothing in it changes.
package final class RequestTemplate: Sendable {
  /// How header compression (HPACK, RFC 7541) treats a field.
  package enum Indexing: Sendable {
    /// Indexed: a repeated value costs one byte.
    case always
    /// Only the first use on a connection is indexed, for the sake of the name; later values are not. For fields whose
    /// values seldom repeat, so that they do not evict others.
    case nameOnly
    /// Never indexed, and marked so for intermediaries.
    case never
  }

  struct Field: Sendable {
    let name: [UInt8]
    let value: [UInt8]
    let indexing: Indexing
  }

  /// The pseudo-header fields before `:path`; the protocol requires them first.
  let pseudoFields: [Field]
  /// After `:path`.
  let fields: [Field]
  /// The name of the last field, whose value comes with each request.
  let varyingName: [UInt8]?
  /// Maximum size of a block, in bytes, without path and varying value.
  let largestBlockBytes: Int

  /// - Parameters:
  ///   - fields: all fields except `:path` and the varying one; pseudo-header fields are moved to the front.
  ///   - varying: name of the field whose value comes with each request.
  package init(fields: [(field: HeaderField, indexing: Indexing)], varying: String? = nil) {
    let all = fields.map { field, indexing in
      Field(
        name: Array(field.name.lowercased().utf8), value: Array(field.value.utf8),
        indexing: field.isNeverIndexed ? .never : indexing)
    }
    pseudoFields = all.filter { $0.name.first == UInt8(ascii: ":") }
    self.fields = all.filter { $0.name.first != UInt8(ascii: ":") }
    varyingName = varying.map { Array($0.utf8) }
    // Twelve bytes cover a field's two lengths and index, and any table size update.
    largestBlockBytes =
      (all.count + 3) * 12 + all.reduce(varying?.utf8.count ?? 0) { $0 + $1.name.count + $1.value.count }
  }
}

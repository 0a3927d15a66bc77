/// The header fields that many requests have in common. Only `:path` and at most one more field (such as `apns-id`)
/// take their value from each request.
///
/// Immutable. Sessions cache its encoding by object identity, so reuse the same instance for as long as its fields
/// apply.
package final class RequestTemplate: Sendable {
  /// The treatment of a field by header compression (HPACK, RFC 7541).
  package enum Indexing: Sendable {
    /// The field is added to the compression table: a repeated value costs one byte.
    case always
    /// The field is added to the table only at the first use on a connection, so that its name can be referenced. For
    /// fields whose values seldom repeat and would evict others.
    case nameOnly
    /// The field is never added to the table, and intermediaries must not add it either: for secrets.
    case never
  }

  struct Field: Sendable {
    let name: [UInt8]
    let value: [UInt8]
    let indexing: Indexing
  }

  /// The pseudo-header fields before `:path`; the protocol requires them first.
  let pseudoFields: [Field]
  /// The fields after `:path`.
  let fields: [Field]
  /// The name of the last field, whose value each request supplies; nil if there is none.
  let varyingName: [UInt8]?
  /// The upper bound of the encoded block's size in bytes, without path and varying value.
  let largestBlockBytes: Int

  /// Creates a template.
  /// - Parameters:
  ///   - fields: all fields except `:path` and the varying one. Pseudo-header fields are moved to the front.
  ///   - varying: name of the field whose value each request supplies.
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

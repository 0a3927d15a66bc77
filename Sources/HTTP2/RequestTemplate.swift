/// The constant part of many requests: header fields in order; `:path` and at most one more field (say `apns-id`) get
/// their value with each request.
///
/// Immutable; sessions recognise it by identity, so keep one for as long as nothing in it changes.
package final class RequestTemplate: Sendable {
  /// How a field is treated by header compression (HPACK, RFC 7541).
  package enum Indexing: Sendable {
    /// In the table: a repeated value costs one byte.
    case always
    /// Its first use on a connection puts the name into the table; later values never enter it. For fields whose value
    /// seldom repeats, so that they do not push the others out.
    case nameOnly
    /// Never in the table, and marked so for intermediaries.
    case never
  }

  struct Field: Sendable {
    let name: [UInt8]
    let value: [UInt8]
    let indexing: Indexing
  }

  /// Before `:path`: the other pseudo fields, which the protocol wants first.
  let pseudoFields: [Field]
  /// After `:path`.
  let fields: [Field]
  /// The name of the field that comes last, with a value of its own for each request.
  let varyingName: [UInt8]?
  /// No block of it is longer than this many bytes, path and varying value aside.
  let largestBlockBytes: Int

  /// - Parameters:
  ///   - fields: all fields but `:path` and the varying one; pseudo fields are moved to the front.
  ///   - varying: name of the field whose value is given with each request.
  package init(fields: [(field: HeaderField, indexing: Indexing)], varying: String? = nil) {
    let all = fields.map { field, indexing in
      Field(
        name: Array(field.name.lowercased().utf8), value: Array(field.value.utf8),
        indexing: field.isNeverIndexed ? .never : indexing)
    }
    pseudoFields = all.filter { $0.name.first == UInt8(ascii: ":") }
    self.fields = all.filter { $0.name.first != UInt8(ascii: ":") }
    varyingName = varying.map { Array($0.utf8) }
    // Twelve bytes hold the two lengths and the index of a field, and any change of the table's size.
    largestBlockBytes =
      (all.count + 3) * 12 + all.reduce(varying?.utf8.count ?? 0) { $0 + $1.name.count + $1.value.count }
  }
}

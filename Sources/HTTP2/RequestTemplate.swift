internal import CNGHTTP2

/// The constant part of many requests: header fields in order; `:path` and at most one more field (say `apns-id`) get
/// their value with each request.
///
/// Immutable once made; belongs to the thread of the sessions that use it.
@safe
package final class RequestTemplate {
  /// How a field is treated by header compression (HPACK, RFC 7541).
  package enum Indexing: Sendable {
    /// In the table: a repeated value costs one byte.
    case always
    /// Its first use on a connection puts the name into the table; later values never enter it. For fields whose value
    /// seldom repeats, so that they do not push the others out.
    case nameOnly
    /// Never in the table, and marked so.
    case never
  }

  struct Entry {
    let name: [UInt8]
    let value: [UInt8]
    let indexing: Indexing
  }

  /// Pseudo fields first, as the protocol wants it; `:path` and the varying field included, with empty values.
  let entries: [Entry]
  let pathIndex: Int
  let varyingIndex: Int?
  /// What nghttp2 reads: pointers into `storage`. Owned.
  let prepared: UnsafeMutableBufferPointer<nghttp2_nv>
  private let storage: UnsafeMutableBufferPointer<UInt8>

  /// - Parameters:
  ///   - fields: all fields but `:path` and the varying one, in any order.
  ///   - varying: name of the field whose value is given with each request.
  package init(fields: [(field: HeaderField, indexing: Indexing)], varying: String? = nil) {
    var pseudo: [Entry] = []
    var ordinary: [Entry] = []
    for (field, indexing) in fields {
      let entry = Entry(
        name: Array(field.name.lowercased().utf8), value: Array(field.value.utf8),
        indexing: field.isNeverIndexed ? .never : indexing)
      if field.name.hasPrefix(":") { pseudo.append(entry) } else { ordinary.append(entry) }
    }
    pathIndex = pseudo.count
    pseudo.append(Entry(name: Array(":path".utf8), value: [], indexing: .never))
    if let varying { ordinary.append(Entry(name: Array(varying.utf8), value: [], indexing: .nameOnly)) }
    entries = pseudo + ordinary
    varyingIndex = varying == nil ? nil : entries.count - 1

    let bytes = entries.reduce(0) { $0 + $1.name.count + $1.value.count }
    unsafe storage = .allocate(capacity: bytes)
    unsafe prepared = .allocate(capacity: entries.count)
    var offset = 0
    for (index, entry) in entries.enumerated() {
      // Safe: the storage was measured above for exactly these bytes.
      let name = unsafe storage.baseAddress! + offset
      unsafe name.initialize(from: entry.name, count: entry.name.count)
      let value = unsafe name + entry.name.count
      unsafe value.initialize(from: entry.value, count: entry.value.count)
      offset += entry.name.count + entry.value.count
      unsafe prepared.initializeElement(
        at: index,
        to: nghttp2_nv(
          name: name, value: value, namelen: entry.name.count, valuelen: entry.value.count,
          flags: Self.flags(entry.indexing, nameIsKnown: false)))
    }
  }

  deinit {
    unsafe prepared.deallocate()
    unsafe storage.deallocate()
  }

  /// nghttp2 does not copy: template and request outlive the frame.
  static func flags(_ indexing: Indexing, nameIsKnown: Bool) -> UInt8 {
    var flags = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
    if indexing == .never || indexing == .nameOnly && nameIsKnown { flags |= NGHTTP2_NV_FLAG_NO_INDEX.rawValue }
    return UInt8(flags)
  }
}

package import Time

/// Writes rows to a binary COPY. Valid only inside `Connection.copyIn`.
///
/// For each row, call `beginRow(columns:)`, then append exactly that many values. Values are not converted: each must
/// have the type of its column. Format: PostgreSQL documentation, COPY, "Binary Format".
package struct CopyWriter {
  private let session: Session
  private var fields = BinaryFields()
  private var isFresh = true

  init(_ session: Session) {
    self.session = session
  }

  /// Starts a row. Throws if the connection is lost, or an earlier text contained U+0000; both are noticed only when
  /// the buffered rows are sent, every `Postgres.Limits.copyChunkBytes`.
  package mutating func beginRow(columns: Int) throws(PostgresError) {
    if fields.bytes.count >= Postgres.Limits.copyChunkBytes { try send() }
    if isFresh { fields.beginCopy() }
    isFresh = false
    fields.beginCopyRow(columns: columns)
  }

  package mutating func append(_ value: Int64?) { fields.append(value) }
  package mutating func append(_ value: Int32?) { fields.append(value) }
  package mutating func append(_ value: Int16?) { fields.append(value) }
  package mutating func append(_ value: Bool?) { fields.append(value) }
  package mutating func append(text value: String?) { fields.append(text: value) }
  package mutating func append(bytes value: [UInt8]?) { fields.append(bytes: value) }
  package mutating func append(uuid value: UUIDValue?) { fields.append(uuid: value) }
  package mutating func append(_ value: Timestamp?) { fields.append(timestamp: value) }
  /// Appends a value of a `jsonb` column.
  package mutating func append(json value: String?) { fields.append(json: value) }

  /// Sends the remaining rows and the end marker. Throws like `beginRow`.
  mutating func finish() throws(PostgresError) {
    if isFresh { fields.beginCopy() }
    fields.endCopy()
    try send()
  }

  private mutating func send() throws(PostgresError) {
    guard !fields.containsNUL else { throw .containsNUL }
    try session.sendCopy(fields.bytes)
    fields.removeAll()
  }
}

extension BinaryFields {
  /// Appends the header: signature, flags (none) and length of the header extension (none).
  fileprivate mutating func beginCopy() {
    append(raw: Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8))
  }

  fileprivate mutating func beginCopyRow(columns: Int) {
    append(rawNumber: Int16(columns))
  }

  /// Appends the trailer: a row with −1 columns.
  fileprivate mutating func endCopy() {
    append(rawNumber: Int16(-1))
  }
}

package import Domain
package import Postgres
package import Time

/// Conversions between domain values and their columns.
extension DeviceID: NullableParameterValue {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.append(value.map { UUIDValue(high: $0.high, low: $0.low) })
  }
}

extension RowNumber {
  package static func append(_ value: Self?, to parameters: inout Parameters) {
    parameters.append(value?.number)
  }
}

extension Seqno: NullableParameterValue {}

extension Int64Column {
  package mutating func append(_ value: (some RowNumber)?) {
    append(value?.number)
  }
}

extension CopyWriter {
  package mutating func append(_ seqno: Seqno) {
    append(seqno.number)
  }

  package mutating func append(device: DeviceID) {
    append(uuid: UUIDValue(high: device.high, low: device.low))
  }
}

extension UUIDColumn {
  package mutating func append(_ device: DeviceID) {
    append(UUIDValue(high: device.high, low: device.low))
  }
}

extension Rows {
  package func device(_ row: Int, _ column: Int) -> DeviceID {
    let value = uuid(row, column)
    return DeviceID(high: value.high, low: value.low)
  }

  package func seqno(_ row: Int, _ column: Int) -> Seqno { Seqno(int64(row, column)) }

  package func userKey(_ row: Int, _ column: Int) -> UserKey {
    UserKey(stored: text(row, column))
  }

  package func optionalText(_ row: Int, _ column: Int) -> String? {
    isNull(row, column) ? nil : text(row, column)
  }

  package func optionalInt64(_ row: Int, _ column: Int) -> Int64? {
    isNull(row, column) ? nil : int64(row, column)
  }

  package func optionalTimestamp(_ row: Int, _ column: Int) -> Timestamp? {
    isNull(row, column) ? nil : timestamp(row, column)
  }

  /// Returns the results of `read` in row order. `read` receives the row's index, counted from 0.
  package func map<Value>(_ read: (Int) -> Value) -> [Value] {
    (0..<count).map(read)
  }
}

extension RowReader {
  package mutating func device() -> DeviceID {
    let value = uuid()
    return DeviceID(high: value.high, low: value.low)
  }

  package mutating func optionalDevice() -> DeviceID? {
    optionalUUID().map { DeviceID(high: $0.high, low: $0.low) }
  }

  package mutating func seqno() -> Seqno { Seqno(int64()) }

  package mutating func optionalSeqno() -> Seqno? { optionalInt64().map { Seqno($0) } }

  package mutating func userKey() -> UserKey { UserKey(stored: text()) }
}

/// The stored number of an enum case, for SQL text. Statements name the case, as in `state =
/// \(MessageState.paused.sql)`, so that renumbering a case cannot break them.
extension RawRepresentable where RawValue == Int16 {
  /// The case's number as SQL text.
  var sql: String { String(rawValue) }
}

extension PushNetwork {
  /// Returns SQL for a network's name in the wire protocol.
  /// - Parameter number: SQL for its stored number.
  static func pnsID(of number: String) -> String {
    "CASE \(number) WHEN \(apns.sql) THEN '\(apns.pnsID)' ELSE '\(fcm.pnsID)' END"
  }
}

package import Domain
internal import Store

/// The requested page of a list.
package struct PageRequest: Sendable {
  package var limit = Operations.Limits.pageDefault
  /// Position after which the page begins, decoded from `nextCursor` of the previous page; nil for the first page.
  package private(set) var cursor: String?
  package var status: OutcomeStatus?

  /// Parses the query parameters of a list. Absent ones are nil and mean the default limit, the first page and all
  /// statuses.
  /// - Throws: `.invalidField` for an invalid parameter.
  package init(limit: String? = nil, cursor: String? = nil, status: String? = nil) throws(Problem) {
    if let limit {
      guard let number = Int(limit), Operations.Limits.pageSizes.contains(number) else {
        throw Problem(
          .invalidField,
          """
          limit must be a whole number from \(Operations.Limits.pageSizes.lowerBound) \
          to \(Operations.Limits.pageSizes.upperBound).
          """)
      }
      self.limit = number
    }
    if let status {
      guard let known = OutcomeStatus.allCases.first(where: { $0.name == status }) else {
        throw Problem(
          .invalidField, "status must be one of \(OutcomeStatus.allCases.map(\.name).joined(separator: ", ")).")
      }
      self.status = known
    }
    if let cursor { self.cursor = try Self.place(behind: cursor) }
  }

  /// Returns the delivery after which the page begins; `.start` for the first page.
  /// - Throws: `.invalidField` for another list's cursor.
  func delivery() throws(Problem) -> DeliveryPages.Place {
    guard let cursor else { return .start }
    guard let place = DeliveryPages.Place(cursor: cursor) else { throw Self.foreignCursor }
    return place
  }

  /// Returns the device after which the page begins; the lowest id for the first page.
  /// - Throws: `.invalidField` for another list's cursor.
  func device() throws(Problem) -> DeviceID {
    guard let cursor else { return DeviceID(high: 0, low: 0) }
    guard let device = DeviceID(cursor) else { throw Self.foreignCursor }
    return device
  }
}

extension PageRequest {
  /// Returns the number after which the page begins. It is excluded; in lists sorted newest first, the page contains
  /// lower numbers.
  /// - Parameter first: the number to return for the first page.
  /// - Throws: `.invalidField` for another list's cursor.
  func number(first: Int64) throws(Problem) -> Int64 {
    guard let cursor else { return first }
    guard let number = SequenceNumber.parse(cursor) else { throw Self.foreignCursor }
    return number
  }

  /// Returns the SEQNO after which the page begins. It is excluded; in lists sorted newest first, the page contains
  /// lower ones.
  /// - Parameter first: the SEQNO to return for the first page.
  /// - Throws: `.invalidField` for another list's cursor.
  func seqno(first: Seqno) throws(Problem) -> Seqno { Seqno(try number(first: first.number)) }

  /// Returns the cursor of the page after a position: base64url, so that it needs no escaping in a URL, whatever
  /// characters a CUID contains.
  package static func cursor(behind place: String) -> String { Base64URL.encode(place.utf8) }

  /// Returns the position that a cursor encodes.
  /// - Throws: `.invalidField` for a malformed cursor.
  package static func place(behind cursor: String) throws(Problem) -> String {
    guard let bytes = Base64URL.decode(cursor), !bytes.isEmpty, !bytes.contains(0),
      let place = String(validating: bytes, as: UTF8.self)
    else { throw foreignCursor }
    return place
  }

  static let foreignCursor = Problem(.invalidField, "cursor must be the nextCursor of the page before.")
}

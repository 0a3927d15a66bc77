/// A log of all accepted pushes in order. Tests use it to prove that nothing was lost and to count duplicates.
///
/// A delivery takes 40 bytes, in blocks that never move, so that a campaign of millions neither exhausts memory nor
/// pauses for a copy. Deliveries of one token are linked, newest first. Above `capacity` the oldest block is dropped,
/// but the totals still include it.
package struct DeliveryLog {
  /// An accepted push.
  package struct Delivery: Equatable, Sendable {
    package let token: TokenRegistry.Index
    package let id: MessageID
    /// Value of `apns-collapse-id`, as bytes; nil if absent.
    package let collapseID: [UInt8]?
    /// Badge in the payload; nil if absent.
    package let badge: Int?
    /// The payload; nil unless payloads are stored.
    package let payload: [UInt8]?
    /// The request's headers; nil unless payloads are stored.
    package let headers: Headers?
    /// Time at which the push was accepted, in microseconds since 1970.
    package let atMicroseconds: Int64
  }

  /// Headers of the request; nil for those that were absent.
  package struct Headers: Equatable, Sendable {
    package var topic: String?
    package var pushType: String?
    package var priority: String?
    package var expiration: String?
  }

  private struct Record {
    var high: UInt64
    var low: UInt64
    var atMicroseconds: Int64
    var token: UInt32
    /// Number of the same token's previous record, plus 1; 0 for none.
    var previous: UInt32
    /// Index into the block's `collapseIDs`, plus 1; 0 for none.
    var collapseID: UInt32
    /// The badge; negative for none.
    var badge: Int16
  }

  /// Records and what they refer to, which are dropped together.
  private struct Block {
    var records: [Record] = []
    var payloads: [[UInt8]] = []
    var headers: [Headers?] = []
    var collapseIDs: [[UInt8]] = []
    var collapseNumbers: [[UInt8]: UInt32] = [:]

    init(size: Int) {
      records.reserveCapacity(size)
    }

    mutating func number(of collapseID: Span<UInt8>) -> UInt32 {
      // A campaign has one collapse id: compare with the last one before hashing.
      if let last = collapseIDs.last, ASCII.equal(collapseID, last) { return UInt32(collapseIDs.count) }
      let bytes = ASCII.array(collapseID)
      if let known = collapseNumbers[bytes] { return known }
      collapseIDs.append(bytes)
      collapseNumbers[bytes] = UInt32(collapseIDs.count)
      return UInt32(collapseIDs.count)
    }
  }

  /// Number of previous deliveries of a token that are searched for a duplicate; limited because tests may send many
  /// pushes to one token.
  private static let lookBack = 32

  package let keepsPayloads: Bool
  /// Minimum number of recent deliveries stored.
  package let capacity: Int
  private let blockSize: Int
  private var blocks: [Block] = []
  /// Number of the oldest delivery that is stored.
  package private(set) var firstKept = 0
  /// For each token index, the number of its newest record plus 1.
  private var newest: [UInt32] = []

  package private(set) var count = 0
  /// Deliveries whose `apns-id` the token had received before, among its last 32.
  package private(set) var duplicates = 0
  /// Tokens with at least one delivery.
  package private(set) var reachedTokens = 0

  package init(
    keepsPayloads: Bool = false, capacity: Int = Limits.deliveriesKept, blockSize: Int = Limits.deliveriesPerBlock
  ) {
    self.keepsPayloads = keepsPayloads
    self.blockSize = blockSize
    self.capacity = capacity
  }

  /// Records an accepted push.
  /// - Parameters:
  ///   - isOwnID: true if the request contained the id; an id generated here cannot repeat.
  ///   - payload: called only if payloads are stored.
  ///   - headers: called only if payloads are stored.
  package mutating func record(
    token: TokenRegistry.Index, id: MessageID, isOwnID: Bool, collapseID: Span<UInt8>?, badge: Int?,
    payload: () -> [UInt8], headers: () -> Headers? = { nil }, atMicroseconds: Int64
  ) {
    while newest.count <= token { newest.append(0) }
    if newest[token] == 0 { reachedTokens += 1 }
    if isOwnID, wasSeen(token, id) { duplicates += 1 }
    if count.isMultiple(of: blockSize) { beginBlock() }
    var record = Record(
      high: id.high, low: id.low, atMicroseconds: atMicroseconds, token: UInt32(token), previous: newest[token],
      collapseID: 0, badge: badge.map { Int16(clamping: max(0, $0)) } ?? -1)
    let last = blocks.count - 1
    if let collapseID { record.collapseID = blocks[last].number(of: collapseID) }
    blocks[last].records.append(record)
    if keepsPayloads {
      blocks[last].payloads.append(payload())
      blocks[last].headers.append(headers())
    }
    count += 1
    newest[token] = UInt32(count)
  }

  private mutating func beginBlock() {
    blocks.append(Block(size: blockSize))
    guard count - firstKept >= capacity + blockSize else { return }
    blocks.removeFirst()
    firstKept += blockSize
  }

  package mutating func removeAll() {
    self = DeliveryLog(keepsPayloads: keepsPayloads, capacity: capacity, blockSize: blockSize)
  }

  // MARK: Queries

  /// Returns the stored deliveries of one token, oldest first.
  package func deliveries(of token: TokenRegistry.Index) -> [Delivery] {
    var found: [Delivery] = []
    var number = token < newest.count ? newest[token] : 0
    while isKept(number) {
      found.append(delivery(Int(number - 1)))
      number = record(Int(number - 1)).previous
    }
    return found.reversed()
  }

  /// Returns what the device shows, oldest first: only the newest of pushes with the same `apns-collapse-id` ("Sending
  /// notification requests to APNs": the later notification replaces the earlier one).
  package func shown(on token: TokenRegistry.Index) -> [Delivery] {
    var collapsed: Set<[UInt8]> = []
    let newestFirst = deliveries(of: token).reversed().filter { delivery in
      delivery.collapseID.map { collapsed.insert($0).inserted } ?? true
    }
    return newestFirst.reversed()
  }

  /// Returns all stored deliveries with this `apns-id`, oldest first. Scans the whole log.
  package func deliveries(with id: MessageID) -> [Delivery] {
    (firstKept..<count).filter { number in
      let record = record(number)
      return record.high == id.high && record.low == id.low
    }.map { delivery($0) }
  }

  /// Returns a delivery by its number, firstKept..<count.
  package func delivery(_ number: Int) -> Delivery {
    let (block, place) = place(of: number)
    let record = blocks[block].records[place]
    return Delivery(
      token: TokenRegistry.Index(record.token), id: MessageID(high: record.high, low: record.low),
      collapseID: record.collapseID == 0 ? nil : blocks[block].collapseIDs[Int(record.collapseID - 1)],
      badge: record.badge < 0 ? nil : Int(record.badge), payload: keepsPayloads ? blocks[block].payloads[place] : nil,
      headers: keepsPayloads ? blocks[block].headers[place] : nil, atMicroseconds: record.atMicroseconds)
  }

  private func place(of number: Int) -> (block: Int, place: Int) {
    ((number - firstKept) / blockSize, number % blockSize)
  }

  private func record(_ number: Int) -> Record {
    let (block, place) = place(of: number)
    return blocks[block].records[place]
  }

  /// Returns whether a link refers to a record that is still stored.
  private func isKept(_ link: UInt32) -> Bool { link > firstKept }

  private func wasSeen(_ token: TokenRegistry.Index, _ id: MessageID) -> Bool {
    var number = newest[token]
    for _ in 0..<Self.lookBack where isKept(number) {
      let record = record(Int(number - 1))
      if record.high == id.high, record.low == id.low { return true }
      number = record.previous
    }
    return false
  }
}

/// Every push that was accepted, in order: the proof that nothing was lost, and the count of what came twice.
///
/// Compact: 44 bytes a delivery in blocks that never move, so that a campaign of millions neither fills memory nor
/// stalls on a copy. Deliveries of one token are chained, newest first.
package struct DeliveryLog {
  /// One accepted push.
  package struct Delivery: Equatable, Sendable {
    package let token: TokenRegistry.Index
    package let id: MessageID
    /// Undecoded; nil when the request had none.
    package let collapseID: [UInt8]?
    /// Nil unless payloads are kept.
    package let payload: [UInt8]?
    /// Microseconds since 1970.
    package let atMicroseconds: Int64
  }

  private struct Record {
    var high: UInt64
    var low: UInt64
    var atMicroseconds: Int64
    var token: UInt32
    /// The record before it of the same token, plus 1; 0 for none.
    var previous: UInt32
    /// Index into `collapseIDs`, plus 1; 0 for none.
    var collapseID: UInt32
  }

  /// How far back in a token's chain a repetition is looked for: more would cost a loop over one token its speed.
  private static let lookBack = 32

  package let keepsPayloads: Bool
  private var blocks: [[Record]] = []
  private var payloads: [[UInt8]] = []
  /// The newest record of each token, plus 1, by the token's index.
  private var newest: [UInt32] = []
  private var collapseIDs: [[UInt8]] = []
  private var collapseNumbers: [[UInt8]: UInt32] = [:]

  package private(set) var count = 0
  /// Deliveries whose `apns-id` the token had received before (within its last 32).
  package private(set) var duplicates = 0
  /// Tokens with at least one delivery.
  package private(set) var reachedTokens = 0

  package init(keepsPayloads: Bool = false) {
    self.keepsPayloads = keepsPayloads
  }

  /// - Parameter isOwnID: the request carried the id (one that we made up cannot repeat).
  package mutating func record(
    token: TokenRegistry.Index, id: MessageID, isOwnID: Bool, collapseID: Span<UInt8>?, payload: () -> [UInt8],
    atMicroseconds: Int64
  ) {
    while newest.count <= token { newest.append(0) }
    if newest[token] == 0 { reachedTokens += 1 }
    if isOwnID, wasSeen(token, id) { duplicates += 1 }
    var record = Record(
      high: id.high, low: id.low, atMicroseconds: atMicroseconds, token: UInt32(token), previous: newest[token],
      collapseID: 0)
    if let collapseID { record.collapseID = number(of: collapseID) }
    if count.isMultiple(of: Simulator.Limits.deliveriesPerBlock) {
      blocks.append([])
      blocks[blocks.count - 1].reserveCapacity(Simulator.Limits.deliveriesPerBlock)
    }
    blocks[blocks.count - 1].append(record)
    if keepsPayloads { payloads.append(payload()) }
    count += 1
    newest[token] = UInt32(count)
  }

  package mutating func removeAll() {
    self = DeliveryLog(keepsPayloads: keepsPayloads)
  }

  /// The deliveries of one token, oldest first.
  package func deliveries(of token: TokenRegistry.Index) -> [Delivery] {
    var found: [Delivery] = []
    var number = token < newest.count ? newest[token] : 0
    while number != 0 {
      found.append(delivery(Int(number - 1)))
      number = record(Int(number - 1)).previous
    }
    return found.reversed()
  }

  /// The delivery of this number in the order of arrival, 0..<count.
  package func delivery(_ number: Int) -> Delivery {
    let record = record(number)
    return Delivery(
      token: TokenRegistry.Index(record.token), id: MessageID(high: record.high, low: record.low),
      collapseID: record.collapseID == 0 ? nil : collapseIDs[Int(record.collapseID - 1)],
      payload: keepsPayloads ? payloads[number] : nil, atMicroseconds: record.atMicroseconds)
  }

  private func record(_ number: Int) -> Record {
    blocks[number / Simulator.Limits.deliveriesPerBlock][number % Simulator.Limits.deliveriesPerBlock]
  }

  private func wasSeen(_ token: TokenRegistry.Index, _ id: MessageID) -> Bool {
    var number = newest[token]
    for _ in 0..<Self.lookBack where number != 0 {
      let record = record(Int(number - 1))
      if record.high == id.high, record.low == id.low { return true }
      number = record.previous
    }
    return false
  }

  private mutating func number(of collapseID: Span<UInt8>) -> UInt32 {
    // A campaign carries one collapse-id: compare with the last before hashing.
    if let last = collapseIDs.last, ASCII.equal(collapseID, last) { return UInt32(collapseIDs.count) }
    let bytes = ASCII.array(collapseID)
    if let known = collapseNumbers[bytes] { return known }
    collapseIDs.append(bytes)
    collapseNumbers[bytes] = UInt32(collapseIDs.count)
    return UInt32(collapseIDs.count)
  }
}

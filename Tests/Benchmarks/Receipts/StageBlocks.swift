internal import Domain
internal import Postgres
internal import Reactor
internal import Store

/// Delivery blocks for a stage's devices, like those of a campaign: built once and copied for each message.
struct StageBlocks {
  private static let blockDevices = 2_000
  /// Numbered like the blocks of a node's claims.
  private static let firstBlock: Int32 = 1 << 14

  /// Indexed by device number.
  let places: [DeliveryCoordinates]
  private let model: Seqno
  private let connection: Connection

  /// - Parameter model: the message whose blocks are copied.
  init(_ count: Int, of model: Seqno, on connection: Connection) throws {
    self.model = model
    self.connection = connection
    var numbers = Array(0..<count)
    numbers.sort { Self.userKey($0) < Self.userKey($1) }
    var places: [Int: DeliveryCoordinates] = [:]
    for (index, start) in stride(from: 0, to: count, by: Self.blockDevices).enumerated() {
      let part = numbers[start..<min(count, start + Self.blockDevices)]
      let block = BlockID(seqno: model, number: Self.firstBlock + Int32(index))
      let entries = part.map { (device: StageDevices.deviceID($0), userKey: Self.userKey($0)) }
      guard let recipients = BlockRecipients(entries), let first = entries.first else { continue }
      _ = try connection.run(
        Blocks.create(
          block, node: UUIDValue(high: 0, low: 0), recipients, firstKey: first.userKey, increment: nil))
      for (position, number) in part.enumerated() {
        places[number] = BlockPlace(block: block, position: position).coordinates(hasFallback: false)
      }
    }
    self.places = (0..<count).compactMap { places[$0] }
    guard self.places.count == count else { throw MeasuringError("a device stands in no block") }
    try connection.script(
      """
      DELETE FROM claims;
      UPDATE block_states SET states = decode(repeat('01', length(states)), 'hex'), accepted_at = now()
      """)
  }

  private static func userKey(_ number: Int) -> UserKey { UserKey(clientUID: StageDevices.clientUID(number)) }

  /// Copies the blocks to another message.
  func copy(to seqno: Seqno) throws {
    try connection.script(
      """
      INSERT INTO blocks (seqno, block, devices_count, increment, first_key, devices, user_keys)
      SELECT \(seqno), block, devices_count, increment, first_key, devices, user_keys FROM blocks WHERE seqno = \(model);
      INSERT INTO block_states (seqno, block, states, accepted_at)
      SELECT \(seqno), block, states, accepted_at FROM block_states WHERE seqno = \(model)
      """)
  }

  /// Marks a message as received by all devices and folded long ago.
  func receive(_ seqno: Seqno) throws {
    try connection.script(
      """
      INSERT INTO block_confirmations (seqno, sent_at, block, is_read, minutes)
      SELECT seqno, now(), block, false, decode(repeat('0001', devices_count), 'hex') FROM blocks WHERE seqno = \(seqno)
      """)
  }
}

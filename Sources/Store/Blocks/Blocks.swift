package import Domain
package import Postgres

/// Deliveries of campaigns. The recipients of each claim are written once, together, and each delivery's state is one
/// byte (`BlockState`). A delivery with an unusual course (refused, retried, ended at another time than the others)
/// also has a row in `outcomes`, and its byte says so: from then on, only the row counts.
///
/// ```
///   blocks         (message, block)   devices and user keys; changed only by an erasure
///   block_states   (message, block)   a byte each; locked by transactions that record outcomes
/// ```
/// What a message adds to its users' badge counts is also stored with their block (`blocks.increment`). A ledger entry
/// is made only for users who read the message, whose increment is taken back, whose count had no room for the whole
/// increment, or whose count had been set after the message got its SEQNO.
/// Blocks are made only from ranges of user keys, so that no user's devices are in two blocks of a message, and the
/// block of a user is found by comparing keys with `blocks.first_key`. Lists of recipients, waves, resent messages and
/// claims of fewer than 16 devices, or of more than a block can hold, use rows throughout.
///
/// Decision 003.
package enum Blocks {
  /// Minimum number of devices for which a block is used.
  package static let leastDevices = 16
  /// Maximum number of devices in a block: `waits.places` has two bytes for each position. A claim has more only if a
  /// single user has.
  package static let mostDevices = Int(Int16.max)

  private static let createStatement = Statement(
    "blocks-create",
    """
    WITH recipients AS (
      INSERT INTO blocks (seqno, block, devices_count, first_key, devices, user_keys, increment)
      VALUES ($1, $3, $4, $5, $6, $7, $9)
    ), states AS (
      INSERT INTO block_states (seqno, block, states) VALUES ($1, $3, $8)
    )
    INSERT INTO claims (seqno, node, block, devices_count) VALUES ($1, $2, $3, $4) RETURNING claim
    """)

  /// Claims devices as a new block: adds the block with all deliveries open, and its claim. Returns the claim. Fails if
  /// the message has a block with this number.
  /// - Parameters:
  ///   - firstKey: the lowest user key of the recipients.
  ///   - increment: number added to each user's badge count; 0 if the message sets the counts instead; nil if it leaves
  ///     them alone.
  package static func create(
    _ block: BlockID, node: UUIDValue, _ recipients: BlockRecipients, firstKey: UserKey, increment: Int16?
  ) -> Query<Claims.Hold> {
    Query(
      one:
        createStatement, block.seqno, node, block.number, Int32(recipients.count), firstKey.text, recipients.devices,
      recipients.userKeys, [UInt8](repeating: BlockState.open.rawValue, count: recipients.count), increment
    ) { Claims.Hold(claim: $0.claim()) }
  }

  private static let claimStatement = Statement(
    "blocks-claim",
    """
    INSERT INTO claims (seqno, node, block, devices_count) SELECT seqno, $4, block, count
    FROM unnest($1, $2, $3) AS t(seqno, block, count) RETURNING seqno, block, claim
    """)

  /// Adds a claim for each block, for its open deliveries. The caller must have locked the blocks' states (`lock`) and
  /// found that they have no claim.
  /// - Parameter counts: the number of open deliveries in each block.
  static func claim(_ counts: [BlockID: Int], node: UUIDValue) -> Query<[BlockID: Claims.Hold]> {
    let blocks = counts.keys.sorted()
    var column = Int32Column()
    for block in blocks { column.append(Int32(counts[block] ?? 0)) }
    var parameters = parameters(blocks)
    parameters.append(column)
    parameters.append(node)
    return Query(claimStatement, parameters) {
      $0.dictionary { row in
        (row.block(), Claims.Hold(claim: row.claim()))
      }
    }
  }

  // MARK: States

  private static let lockStatement = Statement(
    "blocks-lock",
    """
    SELECT s.seqno, s.block, \(Blocks.stateColumns) FROM unnest($1, $2) AS t(seqno, block) CROSS JOIN LATERAL (
      SELECT * FROM block_states b WHERE b.seqno = t.seqno AND b.block = t.block FOR UPDATE) s
    """)

  /// Locks the states of blocks, in key order and until the transaction ends, and returns them. Blocks that do not
  /// exist, because retention has removed them, are omitted.
  package static func lock(_ blocks: Set<BlockID>) -> Query<[BlockID: BlockStates]> {
    // In key order like all writers, so that concurrent writers wait for each other instead of deadlocking.
    Query(lockStatement, parameters(blocks.sorted())) {
      $0.dictionary { row in
        (row.block(), row.states())
      }
    }
  }

  private static let saveStatement = Statement(
    "blocks-save",
    """
    UPDATE block_states s SET states = t.states, accepted_at = t.accepted_at, left_out_at = t.left_out_at
    FROM unnest($1, $2, $3, $4, $5) AS t(seqno, block, states, accepted_at, left_out_at)
    WHERE s.seqno = t.seqno AND s.block = t.block
    """)

  /// Saves the states of blocks, which the caller must have locked (`lock`).
  package static func save(_ states: [BlockID: BlockStates]) -> Query<Void> {
    let blocks = states.keys.sorted()
    var parameters = parameters(blocks)
    var (bytes, accepted, leftOut) = (BytesColumn(), TimestampColumn(), TimestampColumn())
    for block in blocks {
      bytes.append(states[block]?.bytes)
      accepted.append(states[block]?.acceptedAt)
      leftOut.append(states[block]?.leftOutAt)
    }
    parameters.append(bytes)
    parameters.append(accepted)
    parameters.append(leftOut)
    return Query(saveStatement, parameters) { _ in }
  }

  static func parameters(_ blocks: [BlockID]) -> Parameters {
    var (seqnos, numbers) = (Int64Column(), Int32Column())
    for block in blocks {
      seqnos.append(block.seqno)
      numbers.append(block.number)
    }
    return Parameters(seqnos, numbers)
  }

  private static let endedStatement = Statement(
    "blocks-ended",
    """
    SELECT t.seqno, t.block, t.place FROM unnest($1, $2, $3) AS t(seqno, block, place)
    JOIN block_states s ON s.seqno = t.seqno AND s.block = t.block
    WHERE get_byte(s.states, t.place) NOT IN (0, 2, 11)
    """)

  /// Returns those of the deliveries that have ended and have no row in `outcomes`. Deliveries whose block does not
  /// exist are omitted.
  package static func ended(_ places: Set<BlockPlace>) -> Query<Set<BlockPlace>> {
    var (seqnos, numbers, positions) = (Int64Column(), Int32Column(), Int32Column())
    for place in places {
      seqnos.append(place.block.seqno)
      numbers.append(place.block.number)
      positions.append(place.position)
    }
    return Query(endedStatement, seqnos, numbers, positions) { rows in
      Set(
        rows.decode { BlockPlace(block: $0.block(), position: Int($0.int32())) })
    }
  }

  // MARK: Recipients

  package struct Contents: Sendable {
    package let block: BlockID
    package let recipients: BlockRecipients
    package let states: BlockStates
  }

  static let stateColumns = "s.states, s.accepted_at, s.left_out_at"
  static let contentColumns = "b.seqno, b.block, b.devices, b.user_keys, \(Blocks.stateColumns)"

  /// Decodes the columns of `contentColumns`.
  static func contents(_ row: inout RowReader) -> Contents {
    Contents(
      block: row.block(), recipients: BlockRecipients(devices: row.bytes(), userKeys: row.bytes()),
      states: row.states())
  }

  private static let ofClaimsStatement = Statement(
    "blocks-of-claims",
    """
    -- Found before anything is joined: a plan that hopes for their order would walk over all claims.
    WITH c AS MATERIALIZED (SELECT claim, seqno, block FROM claims WHERE claim = ANY($1) AND block IS NOT NULL)
    SELECT \(contentColumns), c.claim FROM c
    JOIN blocks b ON b.seqno = c.seqno AND b.block = c.block
    JOIN block_states s ON s.seqno = c.seqno AND s.block = c.block
    """)

  private static let readStatement = Statement(
    "blocks-read",
    """
    SELECT \(contentColumns) FROM unnest($1, $2) AS t(seqno, block)
    JOIN blocks b ON b.seqno = t.seqno AND b.block = t.block
    JOIN block_states s ON s.seqno = t.seqno AND s.block = t.block
    """)

  /// Returns blocks with their recipients and states, in any order. Blocks that do not exist are omitted.
  static func read(_ blocks: some Collection<BlockID>) -> Query<[Contents]> {
    Query(readStatement, parameters(Array(blocks))) { $0.decode(contents) }
  }

  /// Returns the blocks of claims, by claim. Omits claims that have ended, that list their own devices, or whose block
  /// was removed.
  static func ofClaims(_ claims: Int64Column) -> Query<[ClaimID: Contents]> {
    Query(ofClaimsStatement, claims) { rows in
      var found: [ClaimID: Contents] = [:]
      rows.forEach { row in
        let contents = contents(&row)
        found[row.claim()] = contents
      }
      return found
    }
  }
}

extension RowReader {
  /// Decodes a SEQNO and the block number after it.
  mutating func block() -> BlockID {
    BlockID(seqno: seqno(), number: int32())
  }

  /// Decodes a block's states and the two times that follow them.
  fileprivate mutating func states() -> BlockStates {
    BlockStates(bytes: bytes(), acceptedAt: optionalTimestamp(), leftOutAt: optionalTimestamp())
  }
}

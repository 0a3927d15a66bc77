internal import FoundationEssentials
internal import Logging
internal import Operations
internal import Postgres
internal import Store

/// Takes changed keys while the server runs: the master key's file, the key that the database says seals, and signing
/// keys. Lives on the thread `catalog`.
final class KeyRefresher {
  private let configuration: Configuration
  private let keys: SigningKeys
  private let master: MasterKey
  private let node: UUIDValue
  private let log = Logger(label: "keys")
  private var file: FileStatus?
  /// What was told the database last, and how many turns ago.
  private var reported: (ids: [MasterKey.ID], sealing: MasterKey.ID)?
  private var turns = 0
  /// What was logged last, so that a fault is told once.
  private var fault = ""

  init(_ configuration: Configuration, keys: SigningKeys, master: MasterKey, node: UUIDValue) {
    self.configuration = configuration
    self.keys = keys
    self.master = master
    self.node = node
    file = MasterKeyFile.path(configuration).flatMap { FileStatus($0) }
  }

  func turn(_ connection: Connection) throws {
    readFile()
    if let current = try MasterKeyRotation.current(on: connection), current != master.sealingID {
      if master.seal(with: current) {
        log.notice("another master key seals from now on", metadata: ["key": "\(current)"])
      } else {
        tell("the database seals with the master key \(current), which this node does not have: give it here too")
      }
    }
    try keys.refresh(connection, master: master)
    try report(connection)
  }

  private func readFile() {
    guard let path = MasterKeyFile.path(configuration), let now = FileStatus(path),
      now.identity != file?.identity || now.bytes != file?.bytes
    else { return }
    do {
      let keys = try MasterKeyFile.read(configuration)
      guard try MasterKey(keys: keys).ids.contains(master.sealingID) else {
        return tell("the master key's file no longer holds the key that seals; those that were read before stay")
      }
      try master.take(keys)
      file = now
      log.notice("the master key's file was read again", metadata: ["keys": .stringConvertible(keys.count)])
    } catch {
      tell("the master key's file cannot be used; the keys that were read before stay in use: \(error)")
    }
  }

  /// Tells the database what this node knows: at once when it changes, and now and then, for the first lease may come
  /// later.
  private func report(_ connection: Connection) throws {
    let now = (ids: master.ids, sealing: master.sealingID)
    turns += 1
    if let reported, reported == now, turns < Self.turnsPerReport { return }
    try connection.run(MasterKeys.report(node, keys: now.ids.map(\.bytes), sealing: now.sealing.bytes))
    reported = now
    turns = 0
  }

  private static let turnsPerReport = 5

  private func tell(_ text: String) {
    guard text != fault else { return }
    fault = text
    log.error("\(text)")
  }
}

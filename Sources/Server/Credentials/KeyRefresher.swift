internal import FoundationEssentials
internal import Logging
internal import Operations
internal import Postgres
internal import Reactor
internal import Store

/// Applies key changes while the server runs: a changed master key file, another key chosen in the database for
/// encryption, and new signing keys. Confined to the thread `catalog`.
final class KeyRefresher {
  private let configuration: Configuration
  private let keys: SigningKeys
  private let master: MasterKey
  private let node: UUIDValue
  private let log = Logger(label: "keys")
  /// The stamp of the key file that was read last; nil before the first check, because the file may have changed since
  /// this process read it at its start: in between, it waits for the database and migrates it.
  private var file: RegularFile.Stamp?
  /// The keys last reported to the database; nil before the first report.
  private var reported: (ids: [MasterKey.ID], sealing: MasterKey.ID)?
  private var turns = 0
  private var faults = StandingFaults()

  init(_ configuration: Configuration, keys: SigningKeys, master: MasterKey, node: UUIDValue) {
    self.configuration = configuration
    self.keys = keys
    self.master = master
    self.node = node
  }

  func turn(_ connection: Connection) throws {
    faults.begin()
    readFile()
    if let current = try MasterKeyRotation.current(on: connection), current != master.sealingID {
      if master.seal(with: current) {
        log.notice("another master key seals from now on", metadata: ["key": "\(current)"])
      } else {
        complain("the database seals with the master key \(current), which this node does not have: give it here too")
      }
    }
    try keys.refresh(connection, master: master)
    try report(connection)
    if faults.end() { log.notice("this node's master keys are in order again") }
  }

  private func readFile() {
    guard let path = MasterKeyFile.path(configuration) else { return }
    guard let now = RegularFile.Stamp(path: path) else {
      if file != nil { complain("the master key's file \(path) is missing; keys that were read before stay in use") }
      return
    }
    guard now != file else { return }
    do {
      let keys = try MasterKeyFile.read(configuration)
      let ids = try MasterKey(keys: keys).ids
      guard ids.contains(master.sealingID) else {
        return complain("the master key's file no longer holds the key that seals; those that were read before stay")
      }
      file = now
      guard ids != master.ids else { return }
      try master.take(keys)
      log.notice("the master key's file was read again", metadata: ["keys": .stringConvertible(keys.count)])
    } catch {
      complain("the master key's file cannot be used; the keys that were read before stay in use: \(error)")
    }
  }

  /// Reports this node's keys to the database: at once when they change, and every `turnsPerReport` turns, because the
  /// node's first lease may be written later.
  private func report(_ connection: Connection) throws {
    let now = (ids: master.ids, sealing: master.sealingID)
    turns += 1
    if let reported, reported == now, turns < Self.turnsPerReport { return }
    try connection.run(MasterKeys.report(node, keys: now.ids.map(\.bytes), sealing: now.sealing.bytes))
    reported = now
    turns = 0
  }

  private static let turnsPerReport = 5

  private func complain(_ text: String) {
    if faults.isNew(text) { log.error("\(text)") }
  }
}

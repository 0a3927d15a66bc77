internal import Domain
internal import FoundationEssentials
internal import Operations
internal import Postgres
internal import Reactor
internal import Server
internal import Store

/// The environment of H2: a private PostgreSQL with default durability, an app, devices, and as many stored receipts as
/// a busy center has.
final class ReceiptStage {
  /// Enough that receipts of one message spread over the whole key range of the table.
  static let deviceCount = 100_000

  let databaseURL: String
  /// File of the master key, for the servers under measurement.
  let masterKeyFile: String
  let keys: SigningKeys
  private let database: Database
  private let connection: Connection
  private let devices: StageDevices
  private var blocks: StageBlocks?

  init(_ plan: Plan, scratch: ScratchDirectory) throws {
    var configuration = Configuration()
    configuration.dataDirectory = scratch.file("data")
    plan.say("  making a private PostgreSQL")
    database = try Database(configuration)
    databaseURL = database.url
    try database.migrate(configuration)
    let master = try MasterKeyFile.load(configuration)
    masterKeyFile = configuration.dataDirectory + "/master.key"
    connection = try Connection(databaseURL)
    keys = try SigningKeys.load(connection, master: master)
    devices = try StageDevices(Self.deviceCount, plan, on: connection)
    clientKey = devices.clientKey
    blocks = try StageBlocks(Self.deviceCount, of: try createMessage(), on: connection)
    try storeReceipts(plan)
  }

  /// Stops the private PostgreSQL.
  func close() {
    database.close()
  }

  /// For registrations.
  let clientKey: String

  /// Creates a message that all devices have received.
  /// - Parameter body: called with each device's number, token and pushkey.
  func newMessage(
    _ body: (_ seqno: Seqno, _ device: Int, _ token: String, _ pushkey: String) throws -> Void
  ) throws {
    let seqno = try createMessage()
    try blocks?.copy(to: seqno)
    for (device, token) in devices.tokens.enumerated() {
      try body(
        seqno, device, token,
        keys.pushkeys.make(seqno: String(seqno), psid: token, at: blocks?.places[device]))
    }
  }

  /// Number of receipts stored for these messages.
  func recorded(_ messages: [Seqno]) throws -> Int64 {
    try messages.reduce(0) { sum, seqno in
      sum + (try connection.run(Funnels.find(seqno))?.found.funnel.received ?? 0)
    }
  }

  // MARK: For peers that speak SQL

  func deviceID(_ number: Int) -> DeviceID { StageDevices.deviceID(number) }

  /// One device's operation of this kind.
  func operation(_ kind: RequestMix.Kind, device: Int, seqno: Seqno) throws -> Operation {
    let psid = devices.tokens[device]
    switch kind {
    case .receipt:
      return .confirm([
        Operation.Confirmation(seqno: seqno, psid: psid, read: nil, isGenuine: true, place: blocks?.places[device])
      ])
    case .read: return .confirm([Operation.Confirmation(seqno: seqno, psid: psid, read: .keep, isGenuine: true)])
    case .registration: return devices.registration(device, osVersion: StageDevices.osVersion(device))
    }
  }

  func record(
    _ operation: Operation, _ substitutes: RecordedTransaction.Substitutes
  ) throws -> RecordedTransaction {
    try RecordedTransaction(operation, substitutes, policies: devices.policies, on: connection)
  }

  /// Describes `slowDownFlushes` in the report.
  static let slowFlushes = "PostgreSQL's default, and each flush of the log takes 1 ms longer (commit_delay)"

  /// Simulates a slow disk: each flush of the log for a commit first sleeps a millisecond while holding the log's lock,
  /// exactly where a slow fsync would block the others. Commits arriving meanwhile join the next flush, as with a slow
  /// disk.
  func slowDownFlushes() throws {
    for setting in ["commit_delay = 1000", "commit_siblings = 0"] {
      try connection.script("ALTER SYSTEM SET \(setting)")
    }
    try connection.script("DO $$ BEGIN PERFORM pg_reload_conf(); END $$")
  }

  // MARK: Making

  /// Stores receipts of all devices for one message after another until there are enough: folded, as the product keeps
  /// them, and as rows, for the peers. The product's own statements would take minutes.
  private func storeReceipts(_ plan: Plan) throws {
    var stored = 0
    while stored < plan.storedReceipts {
      try Interruption.check()
      let seqno = try createMessage()
      let wanted = min(devices.tokens.count, plan.storedReceipts - stored)
      try blocks?.copy(to: seqno)
      try blocks?.receive(seqno)
      try connection.script(
        """
        DO $$ BEGIN
          INSERT INTO row_receipts (seqno, device, at)
          SELECT \(seqno), device, now() FROM devices ORDER BY device LIMIT \(wanted);
        END $$
        """)
      stored += wanted
      if stored % 1_000_000 == 0 { plan.say("  \(stored / 1_000_000) million receipts stored") }
    }
    // Provides planner statistics and sets the all-visible bits, so that later runs do not pay for them.
    try connection.script("VACUUM (ANALYZE)")
    try connection.script("CHECKPOINT")
  }

  /// Creates a message with an empty audience, so that no push is sent; a receipt's message need only exist.
  func createMessage() throws -> Seqno {
    let body = """
      {"appId":"\(StageDevices.appID)","audience":{"clientUids":["nobody"]},"alert":"A message"}
      """
    let answer = try SendService.send(
      SendRequest(body: Array(body.utf8), idempotencyKey: nil, caller: .commandLine), on: connection,
      now: SystemClock().wallTime)
    guard case .accepted(let accepted) = answer else { throw MeasuringError("a message was not accepted") }
    return accepted.seqno
  }
}

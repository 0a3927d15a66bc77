internal import UPMCClient

/// The virtual devices' outboxes on disk, one directory per device, written by the client's own code as on phones.
/// Pending confirmations survive the simulator, and the next run with the same plan sends them.
///
/// Each file is synced before its confirmation is sent, on the devices' thread, so thousands of confirmations per
/// second are out of reach.
struct DeviceOutboxes {
  private let plan: DevicePlan
  private let directory: String

  /// Returns nil if the plan has no directory for outboxes.
  init?(_ plan: DevicePlan) {
    guard let directory = plan.outboxes else { return nil }
    self.plan = plan
    self.directory = directory
  }

  private func outbox(_ device: Int) -> Outbox {
    Outbox(directory: "\(directory)/\(plan.isAndroid ? "android" : "ios")-\(plan.seed)-\(device)")
  }

  private func entry(_ waiting: DeviceCalls.Waiting, _ kind: Confirmation.Kind) -> OutboxEntry? {
    DeviceCalls.confirmations([waiting], kind, plan).first.flatMap { OutboxEntry(kind, $0) }
  }

  /// Stores a confirmation.
  /// - Throws: an error if the file cannot be written.
  func add(_ waiting: DeviceCalls.Waiting, _ kind: Confirmation.Kind) throws {
    guard let entry = entry(waiting, kind) else { return }
    try outbox(waiting.device).add(entry)
  }

  func remove(_ waiting: DeviceCalls.Waiting, _ kind: Confirmation.Kind) throws {
    guard let entry = entry(waiting, kind) else { return }
    try outbox(waiting.device).remove(entry)
  }

  /// Returns the confirmations of one kind that earlier runs have left.
  func left(_ kind: Confirmation.Kind) -> [DeviceCalls.Waiting] {
    (0..<plan.count).flatMap { device in
      let outbox = outbox(device)
      return outbox.waiting().compactMap { name -> DeviceCalls.Waiting? in
        guard let entry = try? outbox.read(name), entry.kind == kind else { return nil }
        return DeviceCalls.Waiting(device: device, payload: PushPayload(seqno: entry.seqno, pushkey: entry.pushkey))
      }
    }
  }
}

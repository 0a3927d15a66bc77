internal import UPMCClient

/// The virtual devices' outboxes on the disk, a directory for each device: the client's own, as on phones. What waits outlives
/// the simulator, and another one with the same plan sends it.
///
/// Each file is synced before its confirmation is sent, on the devices' thread: thousands a second are not to be had.
struct DeviceOutboxes {
  private let plan: DevicePlan
  private let directory: String

  /// Nil where the plan names no directory.
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

  /// - Throws: when the disk does not take it.
  func add(_ waiting: DeviceCalls.Waiting, _ kind: Confirmation.Kind) throws {
    guard let entry = entry(waiting, kind) else { return }
    try outbox(waiting.device).add(entry)
  }

  func remove(_ waiting: DeviceCalls.Waiting, _ kind: Confirmation.Kind) throws {
    guard let entry = entry(waiting, kind) else { return }
    try outbox(waiting.device).remove(entry)
  }

  /// What earlier lives of the devices have left.
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

internal import Domain
internal import Operations

/// The scripts with which pgbench does the server's work, one per kind of request.
struct PeerScripts {
  private let files: [RequestMix.Kind: String]

  /// - Parameter messages: number of messages that the scripts confirm.
  init(_ stage: ReceiptStage, scratch: ScratchDirectory, messages: Int) throws {
    let seqnos = try (0..<messages).map { _ in try stage.createMessage() }
    guard let first = seqnos.first, let last = seqnos.last, last.number - first.number == messages - 1 else {
      throw MeasuringError("the messages for pgbench are not numbered one after the other")
    }
    // pgbench may later choose the sample device too, which does no harm.
    let sample = 4_711
    var files: [RequestMix.Kind: String] = [:]
    for kind in RequestMix.Kind.allCases {
      let operation = try stage.operation(kind, device: sample, seqno: first)
      let substitutes: RecordedTransaction.Substitutes = [
        StageDevices.token(sample): "encode(sha256((:n)::text::bytea), 'hex')",
        stage.deviceID(sample).description: ":device",
        "u" + StageDevices.clientUID(sample): "'u\(StageDevices.clientUIDPrefix)' || :n",
        StageDevices.userName(sample): "'\(StageDevices.userNamePrefix)' || :n",
        StageDevices.installation(sample): "'\(StageDevices.installationPrefix)' || :n",
        StageDevices.osVersion(sample): "(:version)::text", String(first): ":seqno",
      ]
      let recorded = try stage.record(operation, substitutes)
      let lines =
        [
          "\\set n random(0, \(ReceiptStage.deviceCount - 1))", "\\set seqno random(\(first), \(last))",
          "\\set version random(1, 1000000)",
        ] + recorded.lines
      files[kind] = try scratch.write(lines.joined(separator: "\n") + "\n", to: "pgbench-\(kind).sql")
    }
    self.files = files
  }

  func files(of mix: RequestMix) throws -> [(file: String, weight: Int)] {
    try mix.shares.map { entry in
      guard let file = files[entry.kind] else { throw MeasuringError("no script for \(entry.kind)") }
      return (file, entry.share)
    }
  }
}

internal import ArgumentParser
internal import Domain
internal import Operations
internal import Store

/// `upmc quarantine`: lists and restores devices whose token their push network refused.
struct QuarantineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine", abstract: "Look at devices whose token was refused, and give them back.",
    discussion: """
      A device whose token the push network refuses is put aside: messages skip it (reason quarantine) until it \
      registers again, which every start of the app does, or until it is given back here.
      """,
    subcommands: [List.self, Restore.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the quarantined devices of an app, and why.",
      discussion: """
          upmc quarantine list com.example.bank
          upmc quarantine list com.example.bank --limit 1000 --json
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "How many, at most 1000.")
    var limit: Int = 100

    @Option(help: "The device after which to go on, as the last line of a list shows it.")
    var after: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let page = try QuarantineService.list(
          appID, PageRequest(limit: String(limit), cursor: after), by: .here,
          on: database.connection)
        for item in page.items { output.show(item, Self.sentence(item)) }
        if !output.json {
          if let next = page.nextCursor { Output.line("There are more: --after \(next)") }
          if page.items.isEmpty { Output.line("No device of \(appID) is in quarantine.") }
        }
      }
    }

    private static func sentence(_ entry: QuarantineService.Entry) -> String {
      let record = entry.record
      return """
        \(record.device)  \(record.userKey.description)  \(record.network.pnsID) \(record.environment.name)  \
        \(entry.tokenPrefix)…  \(record.reason)  message \(record.seqno)  \(Timestamp.text(record.at))
        """
    }
  }

  struct Restore: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give devices back: the next message goes to them again.",
      discussion: """
        Nothing is sent again by this; what was skipped stays skipped.

          upmc quarantine restore com.example.bank --device 0f9c1c2e-8e06-8c11-9a3c-5a1c3b0d9b11
          upmc quarantine restore com.example.bank --since 2026-12-24T09:00:00+09:00
          upmc quarantine restore com.example.bank --all
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Only this device, as the list shows it.")
    var device: String?

    @Option(help: "Those quarantined since a time, for example 2026-12-24T09:00:00+09:00.")
    var since: String?

    @Flag(help: "All of them.")
    var all = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard [device != nil, since != nil, all].count(where: { $0 }) == 1 else {
        throw ValidationError("Give one of --device, --since and --all: whom to give back.")
      }
      _ = try scope()
    }

    func run() throws {
      let scope = try scope()
      try withDatabase { database in
        let restored = try QuarantineService.restore(scope, of: appID, by: .here, on: database.connection)
        output.show(restored, "Gave back \(restored.count) \(restored.count == 1 ? "device" : "devices").")
      }
    }

    private func scope() throws -> QuarantineService.Scope {
      if let device {
        guard let id = DeviceID(device) else {
          throw ValidationError("\(device) is no device's id. `upmc quarantine list` shows them.")
        }
        return .device(id)
      }
      if let since {
        guard let moment = Moment.microseconds(since) else {
          throw ValidationError("\(since) is no time. Write it like 2026-12-24T09:00:00+09:00.")
        }
        return .since(moment)
      }
      return .all
    }
  }
}

internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations
internal import Time

/// `upmc quarantine`: lists and releases devices whose token their push network refused.
struct QuarantineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quarantine", abstract: "Look at devices whose token was refused, and release them.",
    discussion: """
      A device whose token the push network refuses is quarantined: messages skip it (reason quarantine) until it \
      registers again, which every start of the app does, or until it is released here. One that stays here for \
      UPMC_KEEP_HISTORY_DAYS (90 days at least) without a call is emptied.
      """,
    subcommands: [List.self, Restore.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the quarantined devices of an app, and why.",
      discussion: """
          upmc quarantine list com.example.bank
          upmc quarantine list com.example.bank --reason BadDeviceToken
          upmc quarantine list com.example.bank --limit 1000 --json
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Only those that the network refused with this word, for example BadDeviceToken.")
    var reason: String?

    @Option(help: "How many, at most 1000.")
    var limit: Int = 100

    @Option(help: "Where to go on, as the last line of a list shows it.")
    var after: String?

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let page = try api.answer(
          .get("quarantine", query: ["appId": appID, "reason": reason, "limit": String(limit), "cursor": after])
        ).json
        let items = page.list("items")
        for item in items { call.output.show(item, Self.sentence(item)) }
        guard !call.output.json else { return }
        if let next = page.optional("nextCursor") { Output.line("There are more: --after \(next)") }
        if items.isEmpty {
          Output.line("No device of \(appID) is in quarantine\(reason.map { " for \($0)" } ?? "").")
        }
      }
    }

    private static func sentence(_ entry: JSONTree) -> String {
      """
      \(entry.text("device"))  \(entry.optional("clientUid") ?? "GUEST")  \(entry.text("pnsId")) \
      \(entry.text("environment"))  \(entry.text("psidPrefix"))…  \(entry.text("reason"))  \
      message \(entry.text("seqno"))  \(entry.text("at"))
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
          upmc quarantine restore com.example.bank --reason DeviceTokenNotForTopic
          upmc quarantine restore com.example.bank --all
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Only this device, as the list shows it.")
    var device: String?

    @Option(help: "Those quarantined since a time, for example 2026-12-24T09:00:00+09:00.")
    var since: String?

    @Option(help: "Those that the network refused with this word, as the list shows it.")
    var reason: String?

    @Flag(help: "All of them.")
    var all = false

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var call: CallOptions

    func validate() throws {
      guard [device != nil, since != nil, reason != nil, all].count(where: { $0 }) == 1 else {
        throw ValidationError("Give one of --device, --since, --reason and --all: which devices to release.")
      }
      if let device, DeviceID(device) == nil {
        throw ValidationError("\(device) is no device's id. `upmc quarantine list` shows them.")
      }
      if let since, Timestamp(since) == nil {
        throw ValidationError("\(since) is no time. Write it like 2026-12-24T09:00:00+09:00.")
      }
    }

    func run() throws {
      let body: JSONTree = .members([
        "appId": .text(appID), "device": .optional(device), "since": .optional(since), "reason": .optional(reason),
        "all": all ? .flag(true) : nil,
      ])
      try call.withAPI { api in
        if all { try confirmation.ask("Messages go again to every quarantined device of \(appID).") }
        let restored = try api.answer(.post("quarantine", "restore", body: body)).json
        let count = restored.number("restored")
        call.output.show(restored, "Gave back \(count) \(count == 1 ? "device" : "devices").")
      }
    }
  }
}

internal import ArgumentParser
internal import Domain
internal import JSON
internal import Store

/// `upmc webhook`: manages webhooks, and shows the deliveries of their events.
struct WebhookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook", abstract: "Send events to a server of yours, and see what became of them.",
    subcommands: [Create.self, List.self, RenewSecret.self, Delete.self, Test.self, Deliveries.self, Replay.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a webhook, and print its signing secret this once.",
      discussion: """
        Events: \(EventKind.wanted.map(\.rawValue).joined(separator: ", ")). With sms.requested your server sends a short \
        message to whoever has not confirmed a push in time. They are signed as standardwebhooks.com says.

          upmc webhook create com.example.bank --url https://sms.example.com/upmc --event sms.requested
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Where events are posted.")
    var url: String

    @Option(name: .customLong("event"), help: "A kind of event it receives; repeat it for several.")
    var kinds: [EventKind]

    @OptionGroup var call: CallOptions

    func validate() throws {
      guard kinds.allSatisfy(EventKind.wanted.contains) else {
        throw ValidationError("webhook.test is sent by `upmc webhook test`, to any webhook.")
      }
    }

    func run() throws {
      let body: JSONTree = .members([
        "appId": .text(appID), "url": .text(url), "kinds": .texts(kinds.map(\.rawValue)),
      ])
      try call.withAPI { api in
        let made = try api.answer(.post("webhooks", body: body, sealing: .secret)).json
        call.output.show(made, "Made webhook \(made.text("webhookId")). Its secret: \(made.text("secret"))")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List webhooks, with what waits and what was given up.",
      discussion: "  upmc webhook list --app com.example.bank")

    @Option(name: .customLong("app"), help: "Only those of this app.")
    var appID: String?

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("webhooks", query: ["appId": appID]), call.output, limit: .max, none: "There are no webhooks."
        ) { webhook in
          let kinds = webhook.list("kinds").compactMap(\.string).joined(separator: " ")
          return "\(webhook.text("webhookId"))  \(webhook.text("appId"))  \(webhook.text("url"))  \(kinds)  "
            + "\(webhook.flag("active") ? "" : "off, ")\(count(webhook, "waiting")) waiting, "
            + "\(count(webhook, "dead")) given up"
        }
      }
    }

    /// Returns a count of events as text. The API answers null for more events than it counts.
    private func count(_ webhook: JSONTree, _ name: String) -> String {
      webhook.optional(name) ?? "more than \(Webhooks.countedDeliveries)"
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a webhook; what waits for it is forgotten.", discussion: "  upmc webhook delete 3")

    @Argument(help: "The webhook's number.")
    var webhook: String

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let entry = try api.answer(.get("webhooks", webhook)).json
        try confirmation.ask("\(entry.text("url")) gets no more events of \(entry.text("appId")).")
        _ = try api.answer(AdminRequest(.delete, ["webhooks", webhook]))
        call.output.show(entry, "Deleted webhook \(webhook).")
      }
    }
  }
}

extension WebhookCommand {
  struct RenewSecret: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "renew-secret", abstract: "Make another signing secret, and print it this once.",
      discussion: """
        Events are signed with both, the old and the new one, for --keep-for: a receiver that knows either takes them.

          upmc webhook renew-secret 3 --keep-for P7D
        """)

    @Argument(help: "The webhook's number.")
    var webhook: String

    @Option(help: "How long the old secret signs too: P7D; PT0S: no longer. Without: a day.")
    var keepFor: String?

    @OptionGroup var call: CallOptions

    func run() throws {
      let body: JSONTree = .members(["renewSecret": .flag(true), "keepSecretFor": .optional(keepFor)])
      try call.withAPI { api in
        let entry = try api.answer(AdminRequest(.patch, ["webhooks", webhook], body: body, sealing: .secret)).json
        let old = entry.optional("formerSecretEndsAt").map { "The old one signs too, until \($0)." }
        call.output.show(
          entry, "The new secret: \(entry.text("secret")). \(old ?? "The old one signs nothing more.")")
      }
    }
  }

  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Have a test event sent; `upmc webhook deliveries` shows the result.",
      discussion: "  upmc webhook test 3")

    @Argument(help: "The webhook's number.")
    var webhook: String

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let tested = try api.answer(.post("webhooks", webhook, "test")).json
        call.output.show(tested, "A running server sends the event \(tested.text("id")).")
      }
    }
  }

  struct Deliveries: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the deliveries of a webhook, newest first.",
      discussion: "  upmc webhook deliveries 3 --state dead")

    @Argument(help: "The webhook's number.")
    var webhook: String

    @Option(help: "waiting, delivered or dead.")
    var state: String?

    @Option(help: "How many.")
    var limit = 50

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("webhooks", webhook, "deliveries", query: ["state": state]), call.output, limit: limit,
          none: "There is no delivery of this kind."
        ) { event in
          let reason = event.optional("reason").map { "  \($0)" } ?? ""
          return "\(event.text("at"))  \(event.text("id"))  \(event.text("kind"))  \(event.text("state"))\(reason)"
        }
      }
    }
  }

  struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tell a webhook again what was given up; receivers know events by their ids.",
      discussion: "  upmc webhook replay 3")

    @Argument(help: "The webhook's number.")
    var webhook: String

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        // A call replays a limited number. What is given up from now on is not meant.
        func dead() throws -> Int64? {
          try api.answer(.get("webhooks", webhook)).json.optional("dead").flatMap { Int64($0) }
        }
        // Nil: more events than the API counts. Ask again until few enough are left.
        var all = try dead()
        let body: JSONTree = .object([("dead", .flag(true))])
        var (count, last): (Int64, Int64) = (0, 0)
        repeat {
          last = try api.answer(.post("webhooks", webhook, "replay", body: body)).json.number("replayed")
          count += last
          if all == nil { all = try dead().map { count + $0 } }
        } while last > 0 && count < all ?? .max
        let replayed: JSONTree = .object([("replayed", .number(count))])
        call.output.show(replayed, "\(count) events will be sent again.")
      }
    }
  }
}

extension EventKind: ExpressibleByArgument {}

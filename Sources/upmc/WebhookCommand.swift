internal import ArgumentParser
internal import Domain
internal import Operations
internal import Postgres
internal import Store

/// `upmc webhook`: manages webhooks, and shows the deliveries of their events.
struct WebhookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook", abstract: "Send events to a server of yours, and see what became of them.",
    subcommands: [Create.self, List.self, Delete.self, Test.self, Deliveries.self, Replay.self])

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

    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard kinds.allSatisfy(EventKind.wanted.contains) else {
        throw ValidationError("webhook.test is sent by `upmc webhook test`, to any webhook.")
      }
    }

    func run() throws {
      try withDatabase { database in
        var new = WebhookService.NewWebhook()
        (new.appID, new.url, new.kinds) = (appID, url, kinds)
        let made = try WebhookService.create(
          new, master: try database.masterKey(), by: .here, on: database.connection, now: database.now)
        output.show(made, "Made webhook \(made.record.webhook). Its secret: \(made.secret)")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List webhooks, with what waits and what was given up.",
      discussion: "  upmc webhook list --app com.example.bank")

    @Option(name: .customLong("app"), help: "Only those of this app.")
    var appID: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: .max, none: "There are no webhooks.",
          { (entry: WebhookService.Entry) in
            let record = entry.record
            return "\(record.webhook)  \(record.appID)  \(record.url)  \(record.kinds.joined(separator: " "))  "
              + "\(record.isActive ? "" : "off, ")\(record.waiting) waiting, \(record.dead) given up"
          }
        ) { page in try WebhookService.list(appID, page, by: .here, on: database.connection) }
      }
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "End a webhook; what waits for it is forgotten.", discussion: "  upmc webhook delete 3")

    @Argument(help: "The webhook's number.")
    var webhook: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let entry = try WebhookService.find(webhook, by: .here, on: database.connection)
        try WebhookService.delete(webhook, by: .here, on: database.connection)
        output.show(entry, "Deleted webhook \(webhook).")
      }
    }
  }
}

extension WebhookCommand {
  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Have a test event sent; `upmc webhook deliveries` shows the result.",
      discussion: "  upmc webhook test 3")

    @Argument(help: "The webhook's number.")
    var webhook: String

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let tested = try EventService.test(webhook, by: .here, on: database.connection)
        output.show(tested, "A running server sends the event \(tested.id).")
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        try ListOutput.show(
          output, limit: limit, none: "There is no delivery of this kind.",
          { (entry: EventService.Entry) in
            let event = entry.entry
            let reason = event.reason.map { "  \($0)" } ?? ""
            return "\(Timestamp.text(event.at))  \(event.id)  \(event.kind)  \(event.state.name)\(reason)"
          }
        ) { page in
          try EventService.list(webhook, state: state, page, by: .here, on: database.connection)
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

    @OptionGroup var output: OutputOptions

    func run() throws {
      try withDatabase { database in
        let replayed = try EventService.replay(.dead, to: webhook, by: .here, on: database.connection)
        output.show(replayed, "\(replayed.count) events will be sent again.")
      }
    }
  }
}

extension EventKind: ExpressibleByArgument {}

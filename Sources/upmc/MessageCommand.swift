internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations

/// `upmc message`: pauses, resumes and cancels messages, or changes how they are sent.
struct MessageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message", abstract: "Pause, resume, cancel, slow down or repeat a message.",
    subcommands: [
      Change<Pause>.self, Change<Resume>.self, Change<Cancel>.self, Pace.self, Resend.self,
    ])

  /// A command whose only argument is the message's number.
  struct Change<Words: ControlWords>: ParsableCommand {
    static var configuration: CommandConfiguration {
      CommandConfiguration(
        commandName: Words.control.rawValue, abstract: Words.abstract,
        discussion: "\(Words.discussion)\n\n  upmc message \(Words.control.rawValue) 104")
    }

    @Argument(help: "The message's number.")
    var seqno: Int64

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var call: CallOptions

    /// Performs the control and prints the message's totals.
    func run() throws {
      try call.withAPI { api in
        if Words.control == .resume, confirmation.canAsk {
          let now = try api.answer(.get("messages", String(seqno))).json
          try confirmation.ask(devices: now.given("pending").map { _ in now.number("pending") }, of: "Message \(seqno)")
        }
        let answer = try api.answer(.post("messages", String(seqno), Words.control.rawValue)).json
        call.output.show(answer, Status.sentence(answer))
      }
    }
  }

  enum Pause: ControlWords {
    static let control = MessageControl.pause
    static let abstract = "Hold a message back."
    static let discussion = "A second later nothing more of it goes out, on any node. What had not gone out is pending."
  }

  enum Resume: ControlWords {
    static let control = MessageControl.resume
    static let abstract = "Let a paused message go on."
    static let discussion = "Also one that its canary has stopped: then the rest goes out without it."
  }

  enum Cancel: ControlWords {
    static let control = MessageControl.cancel
    static let abstract = "End a message; what has not gone out never does."
    static let discussion = """
      Shows exactly how much had gone out. A scheduled message that repeats ends with all its further occurrences.
      """
  }

  struct Pace: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change how fast a message goes out, also while it does.",
      discussion: """
        All nodes together keep to it.

          upmc message pace 104 --per-second 500
          upmc message pace 104 --devices 10000 --wait PT1M
          upmc message pace 104 --none
        """)

    @Argument(help: "The message's number.")
    var seqno: Int64

    @Option(help: "Devices a second.")
    var perSecond: Int64?

    @Option(help: "Devices, and then a --wait.")
    var devices: Int64?

    @Option(help: "ISO 8601 duration between two portions of --devices: PT30S, PT1M.")
    var wait: String?

    @Flag(help: "As fast as it can.")
    var none = false

    @OptionGroup var call: CallOptions

    func validate() throws {
      let ways = [perSecond != nil, devices != nil && wait != nil, none].count { $0 }
      guard ways == 1, (devices == nil) == (wait == nil) else {
        throw ValidationError("Give --per-second N, or --devices N with --wait DURATION, or --none.")
      }
    }

    func run() throws {
      let pace: JSONTree =
        none
        ? .null
        : .members([
          "perSecond": perSecond.map { .number($0) }, "devices": devices.map { .number($0) }, "wait": .optional(wait),
        ])
      try call.withAPI { api in
        let request = AdminRequest(.patch, ["messages", String(seqno)], body: .object([("pace", pace)]))
        let answer = try api.answer(request).json
        call.output.show(answer, Status.sentence(answer))
      }
    }
  }

  struct Resend: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a message once more, to those it has not reached.",
      discussion: """
        Makes a new message with the same content. --to failed: rejected, expired or skipped; not-received: accepted by \
        the network, and no receipt; not-read: accepted, and not read. Devices that have changed hands get nothing.

          upmc message resend 104 --to not-read
        """)

    @Argument(help: "The number of a message that has ended.")
    var seqno: Int64

    @Option(help: "failed, not-received or not-read.")
    var to: String

    @Option(help: "Repeating the command with the same key and options sends nothing twice.")
    var idempotencyKey: String?

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var call: CallOptions

    func validate() throws {
      guard ResendTarget(name: to) != nil else { throw ValidationError("--to: failed, not-received or not-read.") }
    }

    func run() throws {
      var request = AdminRequest.post(
        "messages", String(seqno), "resend", body: .object([("to", .text(to))]), sealing: .content)
      if let idempotencyKey { request.headers.append(("idempotency-key", idempotencyKey)) }
      try call.withAPI { api in
        if confirmation.canAsk {
          let old = try api.answer(.get("messages", String(seqno))).json
          try confirmation.ask(
            devices: old.given("targeted").map { _ in old.number("targeted") },
            of: "Message \(seqno) once more, to those of its devices that it has not reached,")
        }
        let answer = try api.answer(request).json
        call.output.show(answer, SendSentence.of(answer))
      }
    }
  }
}

/// The name and the help texts of a control command.
protocol ControlWords {
  static var control: MessageControl { get }
  static var abstract: String { get }
  static var discussion: String { get }
}

internal import ArgumentParser
internal import Domain
internal import JSON
internal import Operations
internal import Server

/// `upmc send`: sends a message.
struct Send: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Send a message.",
    discussion: """
      Stores the message and prints its SEQNO; a running server sends it at once. %CUID% and %CNAME% in the texts become \
      each recipient's. --dry-run shows how many it would reach, the payload in each language, and what the app needs \
      for it.

        upmc send com.example.bank --user kim01 --title Transfer \\
          --body "%CNAME%, 10,000 won arrived." --badge +1
        upmc send com.example.bank --group 3 --body "Meeting at 10" --lane bulk
        upmc send com.example.bank --all --body Hello --translation ko=안녕 \
          --media-url https://www.example.com/a.jpg --dry-run --json
        upmc status 1 --follow
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @OptionGroup(title: "Audience (one kind)") var audience: AudienceOptions
  @OptionGroup(title: "Content") var content: ContentOptions
  @OptionGroup(title: "Delivery") var delivery: DeliveryOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard audience.kinds == 1 else {
      throw ValidationError(
        "Name one kind of audience: --user, --device, --psid, --group, --all, --members or --guests.")
    }
    guard content.alertIsComplete else { throw ValidationError("A --title needs a --body.") }
    _ = try content.badgeRequest()
    _ = try content.dataMembers()
    _ = try content.translated()
    _ = try content.variables()
  }

  func run() throws {
    let body = try self.body()
    try withDatabase { database in
      var request = SendRequest(
        body: body, idempotencyKey: delivery.idempotencyKey, caller: .here,
        hosting: ContentHosting(publicURL: database.configuration.publicURL))
      request.seal = database.contentSeal
      let answer = try SendService.send(request, on: database.connection, now: database.now)
      output.show(answer, Self.sentence(answer))
    }
  }

  /// Returns the request in the form that the admin API accepts.
  func body() throws -> [UInt8] {
    let badge = try content.badgeRequest()
    let data = try content.dataMembers()
    let translations = try content.translated()
    let variables = try content.variables()
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("appId", appID)
      writer.member("audience", object: { audience.write(to: &$0) })
      content.write(badge: badge, data: data, to: &writer)
      ContentOptions.write(translations, as: "translations", to: &writer)
      ContentOptions.write(variables, as: "variables", to: &writer)
      delivery.write(to: &writer)
    }
    return writer.bytes
  }

  static func sentence(_ answer: SendAnswer) -> String {
    switch answer {
    case .accepted(let accepted):
      let targeted = accepted.targeted.map { "\($0) devices" } ?? "more devices than are counted at once"
      let state = accepted.dueAt.map { "is scheduled for \(Timestamp.text($0))" } ?? "is queued"
      return "Message \(accepted.seqno) for \(targeted) \(state)." + unknown(accepted.unknown)
    case .waiting(let waiting):
      let targeted = waiting.targeted.map { "\($0) devices" } ?? "more devices than are counted at once"
      let before = waiting.because == .hour ? ", and you have sent to \(waiting.withinHour) within the hour" : ""
      return "It is for \(targeted)\(before), so a second person is asked: approval \(waiting.approval)."
    case .tried(let dryRun):
      let targeted = dryRun.targeted.map { String($0) } ?? "more than 1,000,000"
      let payloads = dryRun.samples.map { sample in
        "\n\(sample.network.pnsID)\(sample.language.map { " \($0)" } ?? ""), \(sample.payload.count) bytes: "
          + String(decoding: sample.payload, as: UTF8.self)
      }
      let notes = dryRun.notes.map { "\nNote: \($0)" }
      let refusals = dryRun.refusals.map { "\nRefused: \($0.detail)" }
      return "Nothing was sent. Devices: \(targeted)." + unknown(dryRun.unknown) + payloads.joined()
        + notes.joined() + refusals.joined()
    }
  }

  private static func unknown(_ entries: [UInt8]) -> String {
    entries == Array("[]".utf8) ? "" : " Unknown: " + String(decoding: entries, as: UTF8.self)
  }
}

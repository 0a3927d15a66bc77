internal import ArgumentParser
internal import JSON

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
        upmc send com.example.bank --all --body Hello --translation ko=안녕 \\
          --media-url https://www.example.com/a.jpg --dry-run --json
        upmc status 1 --follow
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @OptionGroup(title: "Audience (one kind)") var audience: AudienceOptions
  @OptionGroup(title: "Content") var content: ContentOptions
  @OptionGroup(title: "Delivery") var delivery: DeliveryOptions
  @OptionGroup var confirmation: Confirmation
  @OptionGroup(title: "Server") var call: CallOptions

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
    var request = AdminRequest.post("messages", sealing: .content)
    request.setJSON(try body())
    if let key = delivery.idempotencyKey { request.headers.append(("idempotency-key", key)) }
    try call.withAPI { api in
      if confirmation.canAsk, !delivery.dryRun { try ask(api) }
      let answer = try api.answer(request).json
      call.output.show(answer, SendSentence.of(answer))
      guard !(answer["targeted"]?.string == "0" && !answer.list("unknown").isEmpty && !delivery.dryRun) else {
        throw CommandError("It reaches nobody: \(appID) knows none of those that were named.")
      }
    }
  }

  /// Counts the audience with a dry run, and asks for confirmation if it is large.
  private func ask(_ api: any AdminAPI) throws {
    var trial = self
    trial.delivery.dryRun = true
    var request = AdminRequest.post("messages", sealing: .content)
    request.setJSON(try trial.body())
    let answer = try api.answer(request).json
    try confirmation.ask(
      devices: answer.given("targeted").map { _ in answer.number("targeted") }, of: "This message")
  }

  /// Returns the body of the request to the admin API.
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
}

/// Describes the result of a send in a sentence.
enum SendSentence {
  static func of(_ answer: JSONTree) -> String {
    switch answer.text("state") {
    case "dry-run": tried(answer)
    case "waiting-for-approval":
      "It is for \(devices(answer))\(before(answer)), so a second person is asked: approval "
        + "\(answer.text("approvalId"))."
    default:
      "Message \(answer.text("seqno")) for \(devices(answer)) "
        + (answer.optional("sendAt").map { "is scheduled for \($0)" } ?? "is queued") + "." + unknown(answer)
    }
  }

  private static func devices(_ answer: JSONTree) -> String {
    answer.optional("targeted").map { "\($0) devices" } ?? "more devices than are counted at once"
  }

  /// Describes the requester's sends within the past hour, if they are the reason why approval is needed.
  private static func before(_ answer: JSONTree) -> String {
    answer.text("because") == "hour" ? ", and you have sent to \(answer.text("sentWithinHour")) within the hour" : ""
  }

  private static func tried(_ answer: JSONTree) -> String {
    let payloads = answer.list("payloads").map { sample in
      "\n\(sample.text("pnsId"))\(sample.optional("language").map { " \($0)" } ?? ""), "
        + "\(sample.number("bytes")) bytes: \(sample["payload"]?.line ?? "")"
    }
    let notes = answer.list("notes").compactMap(\.string).map { "\nNote: \($0)" }
    let refusals = answer.list("refusals").map { "\nRefused: \($0.text("detail"))" }
    return "Nothing was sent. Devices: \(answer.optional("targeted") ?? "more than 1,000,000")." + unknown(answer)
      + payloads.joined() + notes.joined() + refusals.joined()
  }

  private static func unknown(_ answer: JSONTree) -> String {
    answer.list("unknown").isEmpty ? "" : " Unknown: \(answer["unknown"]?.line ?? "")"
  }
}

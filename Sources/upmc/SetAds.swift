internal import ArgumentParser
internal import Domain
internal import JSON

/// `upmc app ads`: shows or changes an app's rules for ads.
struct SetAds: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ads", abstract: "Say what ads of an app must keep to, or see it.",
    discussion: """
      Messages of the kind ad begin with the label ((광고) at first), have the words of --opt-out (none at first: the law \
      may want them in every ad, so set them before the first one), and \
      wait from 21:00 to 08:00 by each device's clock where consent to ads at night was not given.

        upmc app ads com.example.bank --opt-out 무료수신거부 --night 20:30-08:30
        upmc app ads com.example.bank --label "" --night off
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "What every ad begins with; empty: nothing.")
  var label: String?

  @Option(help: "What every ad must say about refusing more of them; empty: nothing.")
  var optOut: String?

  @Option(help: "Hours at which ads wait, from-to, for example 21:00-08:00; off: none.")
  var night: String?

  @OptionGroup var call: CallOptions

  private func hours(_ text: String) throws -> (from: String, to: String)? {
    if text == "off" { return nil }
    let parts = text.split(separator: "-")
    guard parts.count == 2, let from = ClockTime(parts[0]), let to = ClockTime(parts[1]), from != to else {
      throw ValidationError("--night \(text): write from-to, for example 21:00-08:00, or off.")
    }
    return (String(parts[0]), String(parts[1]))
  }

  func validate() throws {
    if let night { _ = try hours(night) }
  }

  func run() throws {
    var change: [JSONTree.Member] = []
    if let label { change.append(("label", .text(label))) }
    if let optOut { change.append(("optOut", .text(optOut))) }
    if let night {
      let hours = try hours(night).map { JSONTree.object([("from", .text($0.from)), ("to", .text($0.to))]) }
      change.append(("night", hours ?? .null))
    }
    try call.withAPI { api in
      let path = ["apps", appID, "ad-rules"]
      let entry = try api.answer(
        change.isEmpty ? AdminRequest(.get, path) : AdminRequest(.put, path, body: .object(change))
      ).json
      call.output.show(entry, Self.sentence(entry))
    }
  }

  private static func sentence(_ rules: JSONTree) -> String {
    let night = rules.given("night").map { "wait from \($0.text("from")) to \($0.text("to"))" } ?? "go at any hour"
    let (label, optOut) = (rules.text("label"), rules.text("optOut"))
    return """
      Ads of \(rules.text("appId")) begin with \(label.isEmpty ? "nothing" : "\"\(label)\""), \
      say \(optOut.isEmpty ? "nothing" : "\"\(optOut)\"") about refusing more, and \(night).
      """
  }
}

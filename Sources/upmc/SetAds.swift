internal import ArgumentParser
internal import Domain
internal import Operations

/// `upmc app ads`: changes an app's rules for ads.
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

  @OptionGroup var output: OutputOptions

  private func hours(_ text: String) throws -> AdRules.Night? {
    if text == "off" { return nil }
    let parts = text.split(separator: "-")
    guard parts.count == 2, let from = ClockTime(parts[0]), let to = ClockTime(parts[1]), from != to else {
      throw ValidationError("--night \(text): write from-to, for example 21:00-08:00, or off.")
    }
    return AdRules.Night(from: from, to: to)
  }

  func validate() throws {
    if let night { _ = try hours(night) }
  }

  func run() throws {
    var change = AdvertisingRules.Change()
    change.label = label
    change.optOut = optOut
    if let night { change.night = .some(try hours(night)) }
    try withDatabase { database in
      let entry =
        change == AdvertisingRules.Change()
        ? try AdvertisingRules.show(appID, by: .here, on: database.connection)
        : try AdvertisingRules.change(change, of: appID, by: .here, on: database.connection)
      output.show(entry, ListOutput.text(entry))
    }
  }
}

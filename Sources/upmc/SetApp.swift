internal import ArgumentParser
internal import JSON

/// `upmc app set`: changes settings of an app.
struct SetApp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Change settings of an app.",
    discussion: """
      Devices of an app may send messages to single users of it when --device-sends is above 0: so many in a minute, each \
      device. Off by default, because whoever has the app can then write to anybody whose CUID is known.

        upmc app set com.example.chat --device-sends 10
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "Messages that one device may send in a minute; 0: none.")
  var deviceSends: Int16?

  @OptionGroup var call: CallOptions

  func validate() throws {
    guard deviceSends != nil else { throw ValidationError("Name a setting: --device-sends.") }
  }

  func run() throws {
    let change: JSONTree = .members(["deviceSends": deviceSends.map { .number($0) }])
    try call.withAPI { api in
      let entry = try api.answer(AdminRequest(.patch, ["apps", appID], body: change)).json
      call.output.show(entry, "Devices of \(appID) may send \(entry.number("deviceSends")) messages a minute.")
    }
  }
}

internal import ArgumentParser
internal import Domain
internal import Operations

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

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard deviceSends != nil else { throw ValidationError("Name a setting: --device-sends.") }
  }

  func run() throws {
    var change = Administration.AppChange()
    change.deviceSends = deviceSends
    try withDatabase { database in
      let entry = try Administration.change(appID, change, by: .here, on: database.connection)
      output.show(entry, "Devices of \(appID) may send \(deviceSends ?? 0) messages a minute.")
    }
  }
}

internal import ArgumentParser
internal import JSON

/// `upmc device`: lists and shows the devices of an app.
struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Look at devices.", subcommands: [List.self, Show.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List active devices by user, or find one by its push token.",
      discussion: """
          upmc device list com.example.bank --user kim01
          upmc device list com.example.bank --psid 740f4707
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(name: .customLong("user"), help: "Those whose user's CUID begins so.")
    var clientUID: String?

    @Option(help: "The push token, or its first eight characters.")
    var psid: String?

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var call: CallOptions

    func validate() throws {
      guard clientUID == nil || psid == nil else { throw ValidationError("Give either --user or --psid.") }
    }

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("devices", query: ["appId": appID, "clientUid": clientUID, "psid": psid]), call.output,
          limit: limit, none: "There are no devices of this kind.", DeviceCommand.line)
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a device with its consents, groups and tags; of its push token only how it begins.",
      discussion: "  upmc device show 0f9c1c2e-8e06-8c11-9a3c-5a1c3b0d9b11")

    @Argument(help: "The device's id, as lists show it.")
    var device: String

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let shown = try api.answer(.get("devices", device)).json
        call.output.show(shown, "\(DeviceCommand.line(shown))\n\(shown.pretty())")
      }
    }
  }

  /// Returns the description of a device on one line.
  static func line(_ device: JSONTree) -> String {
    let info = [device.text("platform"), device.text("model"), device.text("appVersion")].filter { !$0.isEmpty }
    return """
      \(device.text("device"))  \(device.optional("clientUid") ?? "GUEST")  \(device.text("pnsId")) \
      \(device.text("environment"))  \(device.text("psidPrefix"))…  \(device.text("state"))  \
      \(info.joined(separator: " "))
      """
  }
}

internal import ArgumentParser
internal import JSON

/// `upmc tag`: lists and changes tags of users and devices.
struct TagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tag", abstract: "Give tags to users or devices, take them away, and list them.",
    subcommands: [List.self, Change.self])

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the tags of a user or a device; without either, all that anybody has.",
      discussion: """
          upmc tag list com.example.bank
          upmc tag list com.example.bank --user kim01
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(name: .customLong("user"), help: "CUID: this user's.")
    var clientUID: String?

    @Option(help: "The id of a device: its own.")
    var device: String?

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let tags = try api.answer(
          .get("tags", query: ["appId": appID, "clientUid": clientUID, "device": device])
        ).json
        let names = tags.list("tags").compactMap(\.string)
        call.output.show(tags, names.isEmpty ? "There are no tags." : names.joined(separator: "\n"))
      }
    }
  }

  struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change the tags of users, or of devices.",
      discussion: """
        A user's tags hold on all its devices, and may be given before it registers. Repeating the command changes nothing.

          upmc tag change com.example.bank --user kim01 --user lee02 --add vip --remove trial
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(name: .customLong("user"), help: "A user's CUID. May be repeated.")
    var users: [String] = []

    @Option(name: .customLong("device"), help: "A device's id. May be repeated.")
    var devices: [String] = []

    @Option(help: "A tag to give. May be repeated.")
    var add: [String] = []

    @Option(help: "A tag to take away. May be repeated.")
    var remove: [String] = []

    @Option(help: "Exactly these tags, and no others. May be repeated.")
    var set: [String] = []

    @OptionGroup var call: CallOptions

    func validate() throws {
      guard users.isEmpty != devices.isEmpty else { throw ValidationError("Say whose: --user or --device.") }
      guard !(add.isEmpty && remove.isEmpty && set.isEmpty) else {
        throw ValidationError("Say which tags: --add, --remove or --set.")
      }
    }

    func run() throws {
      let body: JSONTree = .members([
        "appId": .text(appID), "clientUids": users.isEmpty ? nil : .texts(users),
        "devices": devices.isEmpty ? nil : .texts(devices), "add": add.isEmpty ? nil : .texts(add),
        "remove": remove.isEmpty ? nil : .texts(remove), "set": set.isEmpty ? nil : .texts(set),
      ])
      try call.withAPI { api in
        let changed = try api.answer(.post("tags", body: body)).json
        let unknown = changed.list("unknown").compactMap(\.string)
        call.output.show(
          changed,
          "Changed \(changed.number("changed")) \(users.isEmpty ? "devices" : "users")."
            + (unknown.isEmpty ? "" : " Unknown: \(unknown.joined(separator: ", "))"))
        guard unknown.isEmpty || changed.number("changed") > 0 else {
          throw CommandError("\(appID) knows none of these devices.")
        }
      }
    }
  }
}

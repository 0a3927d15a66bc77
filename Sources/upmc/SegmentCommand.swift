internal import ArgumentParser
internal import JSON

/// `upmc segment`: manages saved conditions that describe an audience.
struct SegmentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "segment", abstract: "Keep conditions that describe an audience, and count it.",
    subcommands: [Create.self, List.self, Show.self, Count.self, Change.self, Delete.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Keep conditions under a name.",
      discussion: """
          upmc segment create com.example.bank --name "VIPs on iOS" \\
            --conditions '{"platform":["ios"],"tags":{"any":["vip"]}}'
        """)

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "Name, unique in the app.")
    var name: String

    @Option(help: "The conditions: a JSON object, as the API document describes it.")
    var conditions: String

    @OptionGroup var call: CallOptions

    func run() throws {
      let body: JSONTree = .object([
        ("appId", .text(appID)), ("name", .text(name)), ("conditions", try SegmentCommand.parse(conditions)),
      ])
      try call.withAPI { api in
        let made = try api.answer(.post("segments", body: body)).json
        call.output.show(made, "Made segment \(made.text("segmentId")).")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the segments of an app.", discussion: "  upmc segment list com.example.bank")

    @Argument(help: "The app's id.")
    var appID: String

    @Option(help: "How many.")
    var limit = 100

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        try ListOutput.show(
          api, .get("segments", query: ["appId": appID]), call.output, limit: limit, none: "There are no segments.",
          SegmentCommand.line)
      }
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the conditions of a segment.", discussion: "  upmc segment show 4")

    @Argument(help: "The segment's number.")
    var segment: Int64

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let shown = try api.answer(.get("segments", String(segment))).json
        call.output.show(shown, SegmentCommand.line(shown))
      }
    }
  }

  struct Count: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Count the devices of a segment now.", discussion: "  upmc segment count 4")

    @Argument(help: "The segment's number.")
    var segment: Int64

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let count = try api.answer(.get("segments", String(segment), "count")).json
        call.output.show(count, "\(count.number("devices")) devices")
      }
    }
  }

  struct Change: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give a segment another name or other conditions; messages that were accepted keep the old ones.",
      discussion: "  upmc segment change 4 --name VIPs")

    @Argument(help: "The segment's number.")
    var segment: Int64

    @Option(help: "Another name.")
    var name: String?

    @Option(help: "Other conditions: a JSON object.")
    var conditions: String?

    @OptionGroup var call: CallOptions

    func validate() throws {
      guard name != nil || conditions != nil else {
        throw ValidationError("Give what is to change: --name or --conditions.")
      }
    }

    func run() throws {
      let body: JSONTree = .members([
        "name": .optional(name), "conditions": try conditions.map(SegmentCommand.parse),
      ])
      try call.withAPI { api in
        let shown = try api.answer(AdminRequest(.put, ["segments", String(segment)], body: body)).json
        call.output.show(shown, SegmentCommand.line(shown))
      }
    }
  }

  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a segment; messages that were accepted keep its conditions.",
      discussion: "  upmc segment delete 4")

    @Argument(help: "The segment's number.")
    var segment: Int64

    @OptionGroup var call: CallOptions

    func run() throws {
      try call.withAPI { api in
        let shown = try api.answer(.get("segments", String(segment))).json
        _ = try api.answer(AdminRequest(.delete, ["segments", String(segment)]))
        call.output.show(shown, "Deleted segment \(segment).")
      }
    }
  }

  private static func line(_ segment: JSONTree) -> String {
    "\(segment.text("segmentId"))  \(segment.text("name"))  \(segment["conditions"]?.line ?? "")"
  }

  private static func parse(_ conditions: String) throws -> JSONTree {
    do throws(JSONError) {
      return try JSONTree(parsing: Array(conditions.utf8))
    } catch {
      throw CommandError("--conditions is no JSON: \(error).")
    }
  }
}

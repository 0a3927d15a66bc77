internal import Domain
internal import JSON
internal import Store

/// Validates saved messages. A template or sender must be valid as a send after placeholders have been added for the
/// members that it may lack; a draft can be any object.
enum SavedMessageRules {
  /// Checks a message.
  /// - Throws: a `Problem` whose pointers begin with `/message` if the message is not a JSON object. For a template or
  ///   sender, also if it has a member that only a send may have (such as `audience`) or would be refused as a send.
  static func check(_ message: [UInt8], _ kind: SavedMessages.Kind, appID: String) throws(Problem) {
    let members = try members(message)
    // A draft is unfinished: any object is accepted.
    guard kind != .draft else { return }
    for name in ["appId", "audience", "dryRun", "from", "reference"] where members.contains(where: { $0.name == name })
    {
      throw Problem(
        at: "/message/\(name)", "does not belong into a \(Sentence(word: kind.word)): it is given when it is sent")
    }
    var writer = JSONWriter()
    writer.object { writer in
      writer.member("appId", appID)
      writer.member("audience", object: { $0.member("all", true) })
      for member in members { writer.member(member.name, raw: member.value) }
      let names = Set(members.map(\.name))
      if kind == .sender, !names.contains("alert") { writer.member("alert", "x") }
      // The values of variables may come from a recipient list, so supply placeholders.
      if !names.contains("variables"), message.contains(Array("%VAR".utf8)) {
        writer.member("variables", object: { writer in for number in 1...9 { writer.member("VAR\(number)", "x") } })
      }
    }
    do throws(Problem) {
      _ = try MessageRequest(json: writer.bytes)
    } catch {
      let fields = error.fields.map { Problem.Field(pointer: "/message\($0.pointer)", detail: $0.sentence) }
      // The sentence names the fields, too.
      throw Problem(
        error.code, fields.isEmpty ? error.sentence : Sentence(joining: fields.map(\.whole)), fields: fields)
    }
  }

  private static func members(_ message: [UInt8]) throws(Problem) -> [(name: String, value: [UInt8])] {
    var reader = JSONReader(message)
    var members: [(name: String, value: [UInt8])] = []
    do throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in members.append((name, try reader.readRaw())) }
      try reader.finish()
    } catch {
      throw Problem(error.inside("message"))
    }
    return members
  }
}

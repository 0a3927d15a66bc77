internal import Domain
internal import JSON
internal import Postgres
internal import Store

/// Completes a send that names a template: the template supplies the members that the send omits. The message stores
/// the result, so changing or deleting the template does not affect accepted messages.
enum SavedTemplate {
  /// Completes the body of a send.
  /// - Returns: the body without `template`, with the template's members added; unchanged if it names no template. A
  ///   body in which `"template"` does not occur is not parsed, so it need not be valid JSON.
  /// - Throws: `.notFound` if the app named by the body has no such template or the caller may not access it; a problem
  ///   with a parsed body if it is not a JSON object or its `template` is no number.
  static func fill(
    _ body: [UInt8], for caller: Caller, on connection: Connection
  ) throws(Problem) -> [UInt8] {
    // Nearly all requests name no template; this avoids parsing them twice.
    guard JSON.mayName("template", in: body) else { return body }
    let members = try Self.members(of: body)
    guard let named = members.first(where: { $0.name == "template" }) else { return body }
    let number = try Self.number(named.value)
    guard let record = try connection.answer(SavedMessages.find(number, .template)), caller.reaches(record.app),
      members.first(where: { $0.name == "appId" }).flatMap({ Self.text($0.value) }) == record.appID
    else { throw Problem(.notFound, "The app has no template \(number).") }
    let said = Set(members.map(\.name))
    let rest = try Self.members(of: Array(record.message.utf8)).filter { !said.contains($0.name) }
    var writer = JSONWriter(capacity: body.count + record.message.utf8.count)
    writer.object { writer in
      for member in members where member.name != "template" { writer.member(member.name, raw: member.value) }
      for member in rest { writer.member(member.name, raw: member.value) }
    }
    return writer.bytes
  }

  /// Returns the text of a JSON string; nil for other values.
  private static func text(_ value: [UInt8]) -> String? {
    var reader = JSONReader(value)
    return try? reader.readString()
  }

  private static func members(of body: [UInt8]) throws(Problem) -> [(name: String, value: [UInt8])] {
    var reader = JSONReader(body)
    var members: [(name: String, value: [UInt8])] = []
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in members.append((key, try reader.readRaw())) }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    return members
  }

  private static func number(_ value: [UInt8]) throws(Problem) -> SavedMessages.Number {
    var reader = JSONReader(value)
    do throws(JSONError) {
      return try reader.readGroupSeq()
    } catch {
      throw Problem(error.inside("template"))
    }
  }
}

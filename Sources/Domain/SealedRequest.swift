internal import JSON

/// Splits a confidential request into the members needed to plan and count a message, and its content, which
/// `ContentSeal` encrypts. Also joins the two again.
package enum SealedRequest {
  /// Members that contain no content. All others, including future ones, belong to the content, except `marks`.
  private static let plain: Set<String> = [
    "appId", "audience", "badge", "kind", "lane", "expiresIn", "dbIn", "sms", "fallback", "sender", "onUnknown",
    "pace", "canary", "sendAt", "localTime", "repeat", "window", "reference", "from", "pushType", "mutableContent",
  ]

  /// Splits a request.
  /// - Parameter json: a valid request.
  /// - Returns: two JSON objects. `plain` is marked as confidential and sealed, and also says whether there is an
  ///   alert. `dryRun` is omitted.
  /// - Throws: `.malformed` if this is not a JSON object.
  package static func split(_ json: [UInt8]) throws(Problem) -> (plain: [UInt8], content: [UInt8]) {
    let members = try members(of: json)
    var (open, content) = (JSONWriter(capacity: json.count), JSONWriter(capacity: json.count))
    open.object { open in
      content.object { content in
        for (name, value) in members {
          if plain.contains(name) {
            open.member(name, raw: value)
          } else if !marks.contains(name) {
            content.member(name, raw: value)
          }
        }
      }
      open.member("confidential", true)
      open.member("sealed", true)
      // Needed to determine whether the app's extension reports receipts, which it does for alerts only.
      if members.contains(where: { $0.name == "alert" }) { open.member("alerts", true) }
    }
    return (open.bytes, content.bytes)
  }

  private static let marks: Set<String> = ["confidential", "sealed", "dryRun"]

  /// Joins the two objects of `split` to the complete request, which is still marked as confidential but not as sealed.
  /// Throws `.malformed` if one of them is not a JSON object.
  package static func join(_ plain: [UInt8], _ content: [UInt8]) throws(Problem) -> [UInt8] {
    var members = try members(of: plain)
    members.removeAll { $0.name == "sealed" || $0.name == "alerts" }
    members += try Self.members(of: content)
    var writer = JSONWriter(capacity: plain.count + content.count)
    writer.object { writer in
      for member in members { writer.member(member.name, raw: member.value) }
    }
    return writer.bytes
  }

  private static func members(of json: [UInt8]) throws(Problem) -> [(name: String, value: [UInt8])] {
    var reader = JSONReader(json)
    var members: [(name: String, value: [UInt8])] = []
    do throws(JSONError) {
      try reader.readObject { (reader, name) throws(JSONError) in members.append((name, try reader.readRaw())) }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    return members
  }
}

import Foundation

/// Imported users, a group, and messages kept in inboxes.
extension ReferenceRun {
  /// The imported users: two with two devices each, and one with none.
  static let imported = ["u2", "u3", "newcomer"]
  /// Members of the group at the end: all users, since a device of each joins, and the one without devices.
  static let members = users + 1

  /// Imports a group's members from a file in two parts, cut within a line; a message to them stays in their inboxes,
  /// and one of them reads it and finds it marked as read.
  func sendToImported(_ keys: [String], _ expected: inout Expected) throws {
    let group = try makeGroup()
    let file = "clientUid,clientName,groupSeqs\n" + Self.imported.map { "\($0),Kim,\(group)\n" }.joined()
    let made = try caller.call(
      "POST", "/v1/admin/imports", bearer: apiKey, #"{"appId":"\#(app)","kind":"users","skipErrors":false}"#)
    guard let number = made.string("importId") else { throw Trouble("no import: \(made.text)") }
    let cut = file.index(file.startIndex, offsetBy: file.count / 2)
    for (part, bytes) in [(1, file[..<cut]), (2, file[cut...])] {
      _ = try caller.call(
        "PUT", "/v1/admin/imports/\(number)/parts/\(part)?last=\(part == 2)", bearer: apiKey, node: part - 1,
        type: "text/csv", String(bytes))
    }
    let names = Self.imported.map { "\"\($0)\"" }.joined(separator: ",")
    expected.kept = try send(
      "for inboxes", #"{"clientUids":[\#(names)]}"#, #","inbox":"P90D","badge":{"increment":1}"#, &expected)
    try finish(expected.kept)
    try confirm(expected.kept, [2, 3, 10, 11])
    try read(expected.kept, 2, "")
    // The count of the user who read it is back to its former value.
    expected.badges["u3", default: 0] += 1
    let inbox = try caller.call(
      "GET", "/v1/devices/\(deviceNumber(keys[2]))/inbox", bearer: authKey(keys[2]), node: 1)
    let items = inbox.object["items"] as? [[String: Any]] ?? []
    guard items.count == 1, items[0]["seqno"] as? String == expected.kept, items[0]["readAt"] is String,
      inbox.int("unread") == 0
    else {
      throw Broken("I4", "a message was read, and the inbox says \(inbox.text)")
    }
    try sendToGroup(group, keys, &expected)
  }

  /// One device of each user joins the group; then a message goes to the group, and one device of each user confirms
  /// it.
  private func sendToGroup(_ group: String, _ keys: [String], _ expected: inout Expected) throws {
    for device in 0..<Self.users {
      _ = try caller.call(
        "PUT", "/v1/devices/\(deviceNumber(keys[device]))/groups/\(group)", bearer: authKey(keys[device]),
        node: device % 2)
    }
    let seqno = try send("to the group", #"{"groups":["\#(group)"]}"#, #","badge":{"increment":1}"#, &expected)
    try finish(seqno)
    for number in 0..<Self.users { expected.badges["u\(number)", default: 0] += 1 }
    try read(seqno, 6, #","badgeOption":"reset""#)
    expected.badges["u6"] = 0
    try confirm(seqno, 0..<Self.users)
    for device in 0..<Self.users {
      let badge = try caller.call(
        "GET", "/v1/devices/\(deviceNumber(keys[device]))/badge", bearer: authKey(keys[device]), node: device % 2)
      guard badge.int("badge") == expected.badges["u\(device)"] else {
        throw Broken("I5", "the count of u\(device) should be \(expected.badges["u\(device)"] ?? 0): \(badge.text)")
      }
    }
  }

  /// Created once, however often it is requested.
  private func makeGroup() throws -> String {
    let made = try caller.call(
      "POST", "/v1/admin/groups", bearer: apiKey, accepting: [409], #"{"appId":"\#(app)","name":"Imported"}"#)
    if let group = made.string("groupSeq") { return group }
    let list = try caller.call("GET", "/v1/admin/groups?appId=\(app)", bearer: apiKey)
    guard let group = (list.object["items"] as? [[String: Any]])?.first?["groupSeq"] as? String else {
      throw Trouble("no group: \(list.text)")
    }
    return group
  }
}

internal import Domain
internal import JSON
internal import Operations

/// Creates, lists and deletes groups.
extension LegacyHandler {
  private static func appID(_ form: Form) throws(LegacyRefusal) -> String {
    try form.required("APP_ID", upTo: Domain.Limits.appIDBytes)
  }

  func createGroup(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let new = Administration.NewGroup(
      appID: try Self.appID(call.form), name: try call.form.required("GROUPNAME", upTo: Domain.Limits.groupNameBytes),
      parent: try call.form.number("PARENTSEQ", in: 1...Int64.max))
    let catalog = catalog
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      let made = try Self.refusing { () throws(Problem) in
        try Administration.createGroup(new, by: caller, on: connection, catalog: catalog)
      }
      return LegacyAnswer { writer in writer.object { $0.member("GROUPSEQ", String(made.groupSeq)) } }
    }
  }

  /// Lists up to a thousand of the app's groups in the order of their numbers, starting after LAST_GROUPSEQ, or with
  /// the first group if that field is absent.
  func listGroups(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let appID = try Self.appID(call.form)
    let after = try call.form.number("LAST_GROUPSEQ", in: 0...Int64.max) ?? 0
    let catalog = catalog
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      let groups = try Self.refusing { () throws(Problem) in
        try Administration.groups(
          of: appID, after: after, limit: LegacyLimits.listedRows, by: caller, on: connection, catalog: catalog)
      }
      return LegacyAnswer { writer in
        writer.array { writer in
          for group in groups {
            writer.object { writer in
              writer.member("GROUPSEQ", String(group.groupSeq))
              writer.member("GROUPNAME", group.name)
              writer.member("PARENTSEQ", group.parent.map { String($0) } ?? "")
            }
          }
        }
      }
    }
  }

  func deleteGroup(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let (appID, group) = (try Self.appID(call.form), try Self.group(call.form))
    let catalog = catalog
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      try Self.refusing { () throws(Problem) in
        try Administration.deleteGroup(group, of: appID, by: caller, on: connection, catalog: catalog)
      }
      return LegacyAnswer { writer in writer.object { _ in } }
    }
  }

  /// Lists up to a thousand users of a group in the order of their CUIDs, starting after LAST_CUID, or with the first
  /// user if that field is absent.
  func listGroupUsers(_ call: LegacyCall) throws(LegacyRefusal) {
    let server = try server(call)
    let (appID, group) = (try Self.appID(call.form), try Self.group(call.form))
    let after = try call.form.text("LAST_CUID", upTo: Domain.Limits.clientUIDBytes)
    let catalog = catalog
    try onThread(call, server) { caller, connection throws(LegacyRefusal) in
      let users = try Self.refusing { () throws(Problem) in
        try Administration.users(
          in: group, of: appID, after: after, limit: LegacyLimits.listedRows, by: caller, on: connection,
          catalog: catalog)
      }
      return LegacyAnswer { writer in
        writer.array { writer in
          for user in users {
            writer.object { writer in
              writer.member("CUID", user.clientUID)
              writer.member("CNAME", user.name)
            }
          }
        }
      }
    }
  }
}

internal import ArgumentParser
internal import JSON
internal import Operations

/// `upmc app delete`: deletes an app after a grace period.
struct DeleteApp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an app with everything that is stored of it, after a grace.",
    discussion: """
      From now on nothing of it is sent or changed: devices and senders are refused. For \(standardDays) days, or \
      --grace-days, it can be read, exported (`upmc app export`) and taken back (`upmc app restore`). Then its devices, users, \
      messages, credentials, and the keys and accounts that are only for it are removed, while the server goes on; `upmc app \
      list` shows how far that has come. The audit log stays. The id is never used again.

        upmc app delete com.example.bank --grace-days 7
      """)

  static let standardDays = Operations.Limits.usualGraceDays

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "Days until it is removed, from 0 to 365.")
  var graceDays = DeleteApp.standardDays

  @OptionGroup var confirmation: Confirmation

  @OptionGroup var call: CallOptions

  func run() throws {
    try confirmation.ask(
      "\(appID) stops at once, and everything that is stored of it is removed in \(graceDays) days.")
    try call.withAPI { api in
      let app = try api.answer(
        AdminRequest(.delete, ["apps", appID], query: ["confirm": appID, "graceDays": String(graceDays)])
      ).json
      call.output.show(
        app,
        "\(app.text("appId")) is being deleted. Until \(app.text("purgeAfter")), `upmc app restore` takes that back.")
    }
  }
}

/// `upmc app restore`: cancels the deletion of an app within the grace period.
struct RestoreApp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Take the deletion of an app back, within its grace.",
    discussion: """
      Nothing is lost: devices, users, groups, counts and messages are as they were. What was due meanwhile was not sent.

        upmc app restore com.example.bank
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @OptionGroup var call: CallOptions

  func run() throws {
    try call.withAPI { api in
      let app = try api.answer(.post("apps", appID, "restore")).json
      call.output.show(app, "\(app.text("appId")) is back.")
    }
  }
}

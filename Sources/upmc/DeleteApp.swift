internal import ArgumentParser
internal import JSON
internal import Operations

/// `upmc app delete`: deletes an app after a grace period.
struct DeleteApp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete an app and all its data after a grace period.",
    discussion: """
      The app stops at once: its devices and senders are refused, nothing is sent, and its settings cannot be changed. For \
      \(standardDays) days, or --grace-days, it can still be read, exported (`upmc app export`) and restored (`upmc app \
      restore`). Then its devices, users, messages and credentials are removed while the server goes on, with the API keys \
      and accounts that are only for this app; `upmc app list` shows the progress. The audit log stays. The id cannot be \
      used again.

        upmc app delete com.example.bank --grace-days 7
      """)

  static let standardDays = Operations.Limits.usualGraceDays

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "Grace period in days, from 0 to 365.")
  var graceDays = DeleteApp.standardDays

  @OptionGroup var confirmation: Confirmation

  @OptionGroup var call: CallOptions

  func run() throws {
    try confirmation.ask(
      "\(appID) stops at once, and all its data is removed in \(graceDays) days.")
    try call.withAPI { api in
      let app = try api.answer(
        AdminRequest(.delete, ["apps", appID], query: ["confirm": appID, "graceDays": String(graceDays)])
      ).json
      call.output.show(
        app,
        "\(app.text("appId")) is being deleted. Until \(app.text("purgeAfter")), `upmc app restore` restores it.")
    }
  }
}

/// `upmc app restore`: cancels the deletion of an app within the grace period.
struct RestoreApp: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore an app within the grace period of its deletion.",
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

internal import ArgumentParser
internal import Domain
internal import JSON

/// `upmc voucher`: creates a voucher for a user, as the app's server does at login, so that the next device that names
/// the user is bound to the user.
struct VoucherCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "voucher", abstract: "Vouch for a user: the next device that names it is the user's.",
    discussion: """
      For one registration, within the time that is given. The app's own server does the same at log-in \
      (POST /v1/admin/users/CUID/vouchers). Without --device-id whoever knows the CUID can be faster than the user's own \
      device in that time.

        upmc voucher com.example.bank kim01 --device-id 6D92078A --expires-in PT5M
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Argument(help: "CUID: the user.")
  var clientUID: String

  @Option(help: "The DEVICE_ID that it is good for; without: any.")
  var deviceID: String?

  @Option(help: "How long it waits for the device, up to PT15M.")
  var expiresIn = "PT15M"

  @OptionGroup var call: CallOptions

  func run() throws {
    guard ISODuration.seconds(expiresIn) != nil else {
      throw ValidationError("--expires-in must be a duration such as PT5M.")
    }
    try call.withAPI { api in
      let voucher = try api.answer(
        .post(
          "users", clientUID, "vouchers",
          body: .members([
            "appId": .text(appID), "deviceId": .optional(deviceID), "expiresIn": .text(expiresIn),
          ]))
      ).json
      call.output.show(
        voucher,
        "The next device\(deviceID.map { " \($0)" } ?? "") that names \(clientUID) is its, within \(expiresIn).")
    }
  }
}

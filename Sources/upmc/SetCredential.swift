internal import ArgumentParser
internal import FoundationEssentials
internal import Operations

/// `upmc app credential`.
struct SetCredential: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "credential", abstract: "Give an app what opens Apple's push service.",
    discussion: """
      The .p8 key is made at developer.apple.com under Certificates, Identifiers & Profiles, Keys. The key id stands \
      beside it there, and in its file name; the team id under Membership. The key is sealed with the master key and \
      never shown again. A running server uses it within a second, and resumes the app if it was paused.

        upmc app credential com.example.bank --apns-key AuthKey.p8 \\
          --key-id ABCDE12345 --team-id FGHIJ67890
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Option(help: "File with the .p8 key.")
  var apnsKey: String

  @Option(help: "Key id: 10 capital letters and digits.")
  var keyID: String

  @Option(help: "Team id: 10 capital letters and digits.")
  var teamID: String

  @OptionGroup var output: OutputOptions

  func run() throws {
    let pem = try read(apnsKey)
    try withDatabase { database in
      let set = try Administration.setCredential(
        Administration.APNsKey(pem: pem, keyID: keyID, teamID: teamID), of: appID, master: database.masterKey(),
        by: .commandLine, on: database.connection)
      output.show(set, "\(set.appID) pushes with key \(set.keyID) of team \(set.teamID) from now on.")
    }
  }

  private func read(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw CommandError("The file \(path) cannot be read. Give the path of the .p8 key.")
    }
    return String(decoding: data, as: UTF8.self)
  }
}

/// Why a command could not be carried out: one sentence.
struct CommandError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

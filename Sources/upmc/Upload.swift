internal import ArgumentParser
internal import FoundationEssentials
internal import JSON

/// `upmc upload`: uploads a file for use in messages.
struct Upload: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Upload a picture, sound or film for notifications.",
    discussion: """
      Prints its address and the id that `upmc send --media` takes. What the file is, its bytes say: jpg, png, gif (up to \
      10 MB), mp3, m4a, wav, aiff (5 MB), mp4, mpg, mov, avi (50 MB), as iOS shows them in notifications. Needs \
      UPMC_PUBLIC_URL: devices fetch it from there.

        upmc upload com.example.bank poster.jpg --expires-in P30D
      """)

  @Argument(help: "The app's id.")
  var appID: String

  @Argument(help: "The file.")
  var file: String

  @Option(help: "ISO 8601 duration until it is deleted, unless a message needs it longer. Without: 90 days.")
  var expiresIn: String?

  @OptionGroup var call: CallOptions

  func run() throws {
    guard let data = FileManager.default.contents(atPath: file) else {
      throw CommandError("The file \(file) cannot be read. Give the path of a file that is there and may be read.")
    }
    var request = AdminRequest(.post, ["uploads"], query: ["appId": appID, "expiresIn": expiresIn])
    // The server detects the file type from the first bytes.
    request.set(Array(data), type: "application/octet-stream")
    try call.withAPI { api in
      let uploaded = try api.answer(request).json
      call.output.show(uploaded, "\(uploaded.text("uploadId")) \(uploaded.text("url"))")
    }
  }
}

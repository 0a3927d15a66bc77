internal import JSON
internal import Domain
internal import HTTPServer
internal import Operations

/// Pictures, sounds and films for notifications.
extension Endpoint {
  static let uploads: [Endpoint] = [
    Endpoint(
      .post, "/v1/admin/uploads", id: "upload", in: .messages, "Upload a picture, sound or film",
      """
      The body is the file itself. What it is, its first bytes say; a Content-Type that says something else is refused. A \
      notification shows jpg, png and gif up to 10 MB, mp3, m4a, wav and aiff up to 5 MB, mp4, mpg, mov and avi up to 50 MB. \
      Needs UPMC_PUBLIC_URL: devices fetch it from there.
      """, by: .permission(.send), load: .heavy,
      parameters: [
        .query("appId", JSONSchema.appID, "The app it is for.", isNeeded: true),
        .query(
          "expiresIn", Schemas.duration(Operations.Limits.uploadSeconds),
          "How long it stays, unless a message needs it longer; 90 days when absent."),
      ],
      body: Body(schema: "File", examples: [], type: "application/octet-stream"),
      answers: [
        Answer(
          201, "It is stored.", "Upload",
          example: """
            {"uploadId":"5Zx0uT3bYw9cQk2Lr8VnAg","url":"https://push.example.com/m/5Zx0uT3bYw9cQk2Lr8VnAg.jpg",\
            "contentType":"image/jpeg","bytes":48213,"expiresAt":"2027-03-01T00:00:00Z"}
            """)
      ], problems: [.unknownApp, .notConfigured], handler: .whole(AdminCall.upload))
  ]
}

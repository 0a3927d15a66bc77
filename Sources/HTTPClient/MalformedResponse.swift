/// The reason why a response is not valid, as the end of a sentence.
struct MalformedResponse: Error, Equatable {
  let reason: String

  /// The body exceeds the caller's limit.
  static let longBody = MalformedResponse(reason: "its body is too long")
}

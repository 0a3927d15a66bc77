/// The reason why a response is not valid, as the end of a sentence.
struct MalformedResponse: Error {
  let reason: String
}

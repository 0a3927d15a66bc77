/// Why a response cannot be framed with certainty, as the end of a sentence.
struct MalformedResponse: Error {
  let reason: String
}

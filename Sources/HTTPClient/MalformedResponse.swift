/// Why an answer cannot be framed with certainty: the end of a sentence.
struct MalformedResponse: Error {
  let reason: String
}

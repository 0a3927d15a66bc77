internal import JSON
internal import Domain
internal import HTTPServer

/// The schemas of problems, which the error responses of all endpoints have.
extension Problem {
  /// All problem codes, including those of the HTTP engine, each once.
  private static let codes: [String] =
    Problem.Code.allCases.map(\.rawValue)
    + EngineProblem.allCases.map(\.type).filter { Problem.Code(rawValue: $0) == nil }

  /// The named schemas of problems for the OpenAPI document (`Schemas`), in the document's order.
  static let schemas: [JSONTree.Member] = [
    (
      "Problem",
      JSONSchema.object(
        """
        Why a request was not carried out (RFC 9457). Nothing of it has been applied. Its texts are in English, or in \
        Korean for `Accept-Language: ko`; programs branch on `type`.
        """,
        [
          .required("type", JSONSchema.words(codes), "A stable code to branch on."),
          .required("title", JSONSchema.anyText, "The code in words."),
          .required("status", JSONSchema.number(400...599), "The HTTP status."),
          .required("detail", JSONSchema.anyText, "What to do about it."),
          .optional(
            "errors", JSONSchema.list(of: JSONSchema.reference("FieldError"), 1...Int.max), "The fields at fault."),
          .required("requestId", JSONSchema.text(matching: "^[0-9a-f]{16}$"), "As in the header `X-Request-Id`."),
        ]
      ).adding(
        "examples",
        .json(
          """
          [{"type":"upmc:badge-out-of-range","title":"The badge is out of range","status":400,\
          "detail":"/badge must be a whole number from 1 to 1000.",\
          "errors":[{"pointer":"/badge","detail":"must be a whole number from 1 to 1000"}],"requestId":"8f3a0c5d2b7e4196"}]
          """))
    ),
    (
      "FieldError",
      JSONSchema.object([
        .required("pointer", JSONSchema.anyText, "JSON pointer (RFC 6901) into the request's body."),
        .required("detail", JSONSchema.anyText, "What is wrong there."),
      ])
    ),
  ]
}

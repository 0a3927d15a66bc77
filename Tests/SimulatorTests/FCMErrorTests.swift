import Testing

@testable import Simulator

/// The bodies, byte by byte as Google's front ends write them.
@Suite struct FCMErrorTests {
  private func text(_ error: FCMError) -> String { String(decoding: error.body, as: UTF8.self) }

  @Test func `FCM's own code stands in the details`() {
    #expect(
      text(.unregistered) == """
        {
          "error": {
            "code": 404,
            "message": "Requested entity was not found.",
            "status": "NOT_FOUND",
            "details": [
              {
                "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError",
                "errorCode": "UNREGISTERED"
              }
            ]
          }
        }

        """)
  }

  @Test func `an error without details has none`() {
    #expect(
      text(.wrongProject) == """
        {
          "error": {
            "code": 404,
            "message": "Requested entity was not found.",
            "status": "NOT_FOUND"
          }
        }

        """)
  }

  @Test func `violations and Apple's words`() {
    let found = FCMError.violations([.init("message.data[0].value", "Invalid value (TYPE_STRING), \"x\"")])
    #expect(
      text(found) == """
        {
          "error": {
            "code": 400,
            "message": "Invalid value (TYPE_STRING), \\"x\\"",
            "status": "INVALID_ARGUMENT",
            "details": [
              {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [
                  {
                    "field": "message.data[0].value",
                    "description": "Invalid value (TYPE_STRING), \\"x\\""
                  }
                ]
              }
            ]
          }
        }

        """)
    #expect(text(.thirdPartyAuth).contains("\"statusCode\": 403,\n        \"reason\": \"InvalidProviderToken\""))
  }

  @Test(arguments: [
    ("INVALID_ARGUMENT", 400, "INVALID_ARGUMENT"), ("UNREGISTERED", 404, "NOT_FOUND"),
    ("SENDER_ID_MISMATCH", 403, "PERMISSION_DENIED"), ("QUOTA_EXCEEDED", 429, "RESOURCE_EXHAUSTED"),
    ("THIRD_PARTY_AUTH_ERROR", 401, "UNAUTHENTICATED"), ("INTERNAL", 500, "INTERNAL"),
    ("UNAVAILABLE", 503, "UNAVAILABLE"),
  ]) func `each code has its status and canonical word`(_ code: String, _ status: Int, _ canonical: String) {
    let error = FCMError.named(code)
    #expect(error?.status == status && error?.canonical == canonical && error?.word == code)
  }
}

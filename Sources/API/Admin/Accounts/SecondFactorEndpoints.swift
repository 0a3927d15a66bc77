internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Endpoints for the second factor of the caller's own account.
extension Endpoint {
  static let secondFactor: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/session/second-factor", id: "showSecondFactor", in: .administration, "Show my second factor",
      "Whether there is one, whether the role needs one (`UPMC_SECOND_FACTOR`), and how many recovery codes are left.",
      by: .caller,
      answers: [
        Answer(
          200, "As it is.", SecondFactorService.Status.object,
          example: #"{"on":true,"needed":true,"recoveryCodesLeft":10}"#)
      ], problems: [.conflict, .notConfigured], handler: .whole(AdminCall.showSecondFactor)),
    Endpoint(
      .post, "/v1/admin/session/second-factor", id: "beginSecondFactor", in: .administration,
      "Begin to set up a second factor",
      """
      A new secret for an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds). It is in this answer and nowhere \
      else, and it is in force once a code of it has been confirmed.
      """, by: .caller,
      answers: [Answer(201, "The secret.", SecondFactorService.Enrolment.object, example: enrolmentExample)],
      problems: [.conflict, .notConfigured], handler: .whole(AdminCall.beginSecondFactor)),
    Endpoint(
      .put, "/v1/admin/session/second-factor", id: "confirmSecondFactor", in: .administration,
      "Put a second factor in force",
      """
      With a code of the new secret, and with the password: a session that was left open must not lock its owner out. \
      Where a factor is in force already, a code of that one stands in for the password; so does a session that began \
      with a link within the last 10 minutes. The answer has ten recovery codes; the account's other sessions end.
      """, by: .caller, load: .password,
      body: Body(
        SecondFactorService.Code.confirming,
        examples: [("first", #"{"code":"287082","password":"correct horse battery"}"#)]),
      answers: [Answer(200, "In force.", SecondFactorService.RecoveryCodes.object, example: codesExample)],
      problems: [.conflict, .notConfigured, .tooManyAttempts], handler: .whole(AdminCall.confirmSecondFactor)),
    Endpoint(
      .post, "/v1/admin/session/second-factor/recovery-codes", id: "renewRecoveryCodes", in: .administration,
      "Make new recovery codes", "The former ones are void.", by: .caller, load: .password,
      body: Body(SecondFactorService.Code.object, examples: [("app", #"{"code":"287082"}"#)]),
      answers: [Answer(201, "Ten new ones.", SecondFactorService.RecoveryCodes.object, example: codesExample)],
      problems: [.conflict, .notConfigured, .tooManyAttempts], handler: .whole(AdminCall.renewRecoveryCodes)),
    Endpoint(
      .post, "/v1/admin/session/second-factor/removal", id: "removeSecondFactor", in: .administration,
      "Remove my second factor", "Refused where the role needs one.", by: .caller, load: .password,
      body: Body(SecondFactorService.Code.object, examples: [("app", #"{"code":"287082"}"#)]),
      answers: [Answer(204, "It is removed.")], problems: [.conflict, .notConfigured, .tooManyAttempts],
      handler: .whole(AdminCall.removeSecondFactor)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let secondFactorSchemas: [JSONTree.Member] = [
    SecondFactorService.Status.object.named, SecondFactorService.Enrolment.object.named,
    SecondFactorService.Code.object.named, SecondFactorService.Code.confirming.named,
    SecondFactorService.RecoveryCodes.object.named,
  ]

  private static let enrolmentExample = """
    {"secret":"GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ","uri":"otpauth://totp/UPMC:kim%40example.com\
    ?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=UPMC&algorithm=SHA1&digits=6&period=30"}
    """

  private static let codesExample = #"{"recoveryCodes":["k7qm-2xfa-h4zt-pw3n"]}"#
}

extension AdminCall {
  fileprivate func showSecondFactor() throws(Problem) -> Response {
    .json(.ok, try SecondFactorService(resources.console).status(by: caller, on: connection))
  }

  fileprivate func beginSecondFactor() throws(Problem) -> Response {
    .json(.created, try SecondFactorService(resources.console).begin(by: caller, on: connection))
  }

  fileprivate func confirmSecondFactor() throws(Problem) -> Response {
    let code = try body(SecondFactorService.Code.confirming)
    return .json(
      .ok,
      try SecondFactorService(resources.console).confirm(
        code, session: session, by: caller, on: connection, now: now))
  }

  fileprivate func renewRecoveryCodes() throws(Problem) -> Response {
    let code = try body(SecondFactorService.Code.object)
    return .json(
      .created, try SecondFactorService(resources.console).renewCodes(code, by: caller, on: connection, now: now))
  }

  fileprivate func removeSecondFactor() throws(Problem) -> Response {
    try SecondFactorService(resources.console).drop(
      try body(SecondFactorService.Code.object), by: caller, on: connection, now: now)
    return .done
  }
}

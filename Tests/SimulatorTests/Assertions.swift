import Domain

/// The provider's own way to sign an assertion: the simulator must agree with it.
func assertion(of json: String, at seconds: Int64) throws -> String {
  try ServiceAccount(json: json).assertion(issuedAt: seconds)
}

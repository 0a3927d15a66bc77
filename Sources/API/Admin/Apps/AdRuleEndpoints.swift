internal import Domain
internal import HTTPServer
internal import Operations

/// What an app asks of its ads.
extension AdminCall {
  func adRules() throws(Problem) -> Response {
    .json(.ok, try AdvertisingRules.show(parameters["appId"], by: caller, on: connection))
  }

  /// `{"label"?,"optOut"?,"night"?:{"from","to"}|null}`: what is not given stays.
  func changeAdRules() throws(Problem) -> Response {
    let change = try AdvertisingRules.Change(json: try jsonBody())
    return .json(.ok, try AdvertisingRules.change(change, of: parameters["appId"], by: caller, on: connection))
  }
}

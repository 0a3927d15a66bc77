internal import Domain
internal import HTTPServer
internal import Operations

/// `GET /v1/admin/statistics?appId=&from=&to=&by=minute|hour|day&per=app|network|lane|reason|appVersion`.
extension AdminCall {
  func statistics() throws(Problem) -> Response {
    let question = StatisticsService.Question(
      appID: query["appId"], from: query["from"], to: query["to"],
      by: query["by"], per: query["per"])
    return .json(
      .ok,
      try StatisticsService.report(question, by: caller, on: connection, now: now))
  }
}

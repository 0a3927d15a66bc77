internal import Domain
internal import HTTPServer
internal import Operations
internal import Reactor

/// `GET /v1/admin/statistics?appId=&from=&to=&by=minute|hour|day&per=app|network|lane|reason|appVersion`.
extension AdminCall {
  func statistics() throws(Problem) -> Response {
    let question = StatisticsReporting.Question(
      appID: request.queryItem("appId"), from: request.queryItem("from"), to: request.queryItem("to"),
      by: request.queryItem("by"), per: request.queryItem("per"))
    return .json(
      .ok,
      try StatisticsReporting.report(question, by: caller, on: connection, now: resources.clock.wallMicroseconds))
  }
}

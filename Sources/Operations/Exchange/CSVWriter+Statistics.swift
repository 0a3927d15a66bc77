internal import Domain
internal import JSON
internal import Store
internal import Time

/// Writes the rows of exported statistics.
extension CSVWriter {
  /// Writes a report's rows, one line each. A row has its time in UTC and in the time zone of its apps; the local time
  /// and the zone are empty if the apps' zones differ.
  mutating func write(_ report: StatisticsService.Report) {
    for item in report.rows {
      var cells: [String?] = [item.at.description, item.localTime, item.timeZone, report.unit.rawValue]
      if report.division != .none { cells.append(report.division.word(item.part)) }
      let counts = item.counts
      let numbers = [
        counts.accepted, counts.rejected, counts.expired, counts.cancelled, counts.skipped, counts.received,
        counts.read, counts.joined, counts.left,
      ]
      row(cells + numbers.map { String($0) })
    }
  }

  mutating func write(_ campaign: CampaignRanking.Row) {
    row([
      String(campaign.place.seqno), campaign.appID, campaign.kind.rawValue, campaign.title, campaign.sender,
      campaign.createdAt.description, campaign.targeted.map { String($0) }, String(campaign.accepted),
      String(campaign.received), String(campaign.read),
    ])
  }
}

extension CampaignRanking.Row {
  /// Title of the alert, or its text if it has no title; nil if the alert is missing, not JSON, or has neither.
  fileprivate var title: String? {
    guard let alert, let json = try? JSONTree(parsing: Array(alert.utf8)) else { return nil }
    return json.string ?? json["title"]?.string ?? json["body"]?.string
  }
}

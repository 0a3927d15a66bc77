internal import Reactor

/// P5: how long pushes still arrive after a pause, or a cancellation, of a running campaign was acknowledged.
struct Controls: Scenario {
  let name = "P5"
  let summary = "pause and cancel a running campaign: the last push after the answer"

  func measure(_ plan: Plan) throws -> Outcome {
    let stage = try CampaignStage(plan, devices: plan.campaignDevices)
    defer { stage.close() }
    let center = try stage.startOurs()
    defer { center.stop() }
    _ = try Latencies.untilOutcome(try center.sendUrgent(1, stage), center)
    var (pauses, cancels): ([Double], [Double]) = ([], [])
    for number in 1...plan.pairs {
      try Interruption.check()
      let before = try center.pushes()
      let seqno = try center.send(#"{"all":true}"#, #","lane":"bulk""#)
      try center.awaitPushes(before + stage.devices / 10)
      pauses.append(try center.lastPush(after: "/v1/admin/messages/\(seqno)/pause"))
      let paused = try center.pushes()
      _ = try center.call("POST", "/v1/admin/messages/\(seqno)/resume")
      try center.awaitPushes(paused + stage.devices / 10)
      cancels.append(try center.lastPush(after: "/v1/admin/messages/\(seqno)/cancel"))
      let funnel = try center.funnel(seqno)
      guard funnel.number["pending"] == 0, funnel.text["state"] == "cancelled",
        (funnel.number["accepted"] ?? 0) + (funnel.number["cancelled"] ?? 0) == stage.devices
      else { throw MeasuringError("the cancelled campaign does not add up: \(funnel.number)") }
      plan.say(
        "  campaign \(number): last push \(Int(pauses[number - 1])) ms after the pause, "
          + "\(Int(cancels[number - 1])) ms after the cancel")
    }
    var outcome = Outcome(scenario: name)
    outcome.circumstances = stage.circumstances
    outcome.requirements = [
      Requirement(
        label: "last push after a pause", unit: "ms", value: pauses.max() ?? 0, side: .atMost, limit: 1000),
      Requirement(
        label: "last push after a cancel", unit: "ms", value: cancels.max() ?? 0, side: .atMost, limit: 1000),
    ]
    return outcome
  }
}

extension Center {
  /// Waits until the simulator has received this many pushes.
  func awaitPushes(_ count: Int) throws {
    let pause = try Wakeup()
    let deadline = SystemClock().now + .seconds(60)
    while try pushes() < count {
      guard SystemClock().now < deadline else { throw MeasuringError("the campaign does not move") }
      _ = pause.wait(atMost: .milliseconds(5))
    }
  }

  /// Milliseconds from a command's response to the last push that still arrived; watches for three seconds.
  func lastPush(after path: String) throws -> Double {
    let clock = SystemClock()
    let pause = try Wakeup()
    _ = try call("POST", path)
    let answered = clock.now
    var count = try pushes()
    var last = answered
    while clock.now - answered < .seconds(3) {
      let now = try pushes()
      if now != count { (count, last) = (now, clock.now) }
      _ = pause.wait(atMost: .milliseconds(5))
    }
    return (last - answered).milliseconds
  }
}

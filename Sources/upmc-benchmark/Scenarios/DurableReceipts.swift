/// H2: receipts that are on disk when they are answered, against the same work done one receipt at a time.
struct DurableReceipts: Scenario {
  let name = "H2"
  let summary = "durable receipts over 256 connections, against one transaction each over 16 database connections"

  func measure(_ plan: Plan) throws -> Outcome {
    throw MeasuringError("the receipt door is not built yet")
  }
}

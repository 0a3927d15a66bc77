/// Statements sent to the server together, and the results received so far. Contains no I/O.
struct Submission {
  typealias Completion = (Result<[Rows], PostgresError>) -> Void

  /// A step of a submission, to which the server sends one result.
  enum Step {
    /// A statement that is prepared before its first use.
    case prepare(Statement, [OID])
    case execute(name: String)
  }

  let statements: [(Statement, Parameters)]
  /// True if the submission is meant to leave a transaction open.
  let keepsOpen: Bool
  let completion: Completion
  /// The steps in the order of their results; empty until the submission is sent.
  var steps: [Step] = []
  private var answered = 0
  private var rows: [Rows] = []
  private(set) var firstError: PostgresError?

  init(_ statements: [(Statement, Parameters)], keepsOpen: Bool = false, _ completion: @escaping Completion) {
    self.statements = statements
    self.keepsOpen = keepsOpen
    self.completion = completion
  }

  /// Error to report instead of sending the submission; nil if it may be sent.
  var refusal: PostgresError? {
    for (statement, parameters) in statements {
      if let refusal = parameters.refusal { return refusal.naming(statement.name) }
    }
    return nil
  }

  /// Records the result of the next step; after the last step, an error of the commit. Returns the statement and its
  /// parameter types if the step has prepared it, otherwise nil.
  mutating func take(_ outcome: Rows.Outcome) -> (Statement, [OID])? {
    guard answered < steps.count else {
      // An error after the last statement comes from the commit, for example from a deferred constraint.
      if case .error(let error) = outcome { firstError = firstError ?? error }
      return nil
    }
    let step = steps[answered]
    answered += 1
    switch (step, outcome) {
    case (.prepare(let statement, let types), .rows):
      return (statement, types)
    case (.execute, .rows(let rows)):
      self.rows.append(rows)
    case (.prepare(let statement, _), .error(let error)):
      firstError = firstError ?? error.naming(statement.name)
    case (.execute(let name), .error(let error)):
      firstError = firstError ?? error.naming(name)
    case (_, .aborted), (_, .synchronized):
      break
    }
    return nil
  }

  /// Returns the result for the completion, after the synchronization point: the rows of each statement, or the first
  /// error. It is an error, too, if results are missing, or `leftOpen` is true.
  /// - Parameter leftOpen: true if the submission has left a transaction open unintentionally.
  func result(leftOpen: Bool) -> Result<[Rows], PostgresError> {
    if let firstError { return .failure(firstError) }
    guard !leftOpen else {
      return .failure(
        PostgresError(
          origin: .refusal, sqlState: .activeTransaction,
          message: "the submission left its transaction open; it was rolled back"))
    }
    guard rows.count == statements.count else { return .failure(.connection("answers are missing")) }
    return .success(rows)
  }
}

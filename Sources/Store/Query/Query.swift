package import Postgres

/// A statement, its parameters, and a closure that decodes its rows.
package struct Query<Answer> {
  package let statement: Statement
  package let parameters: Parameters
  package let read: (Rows) -> Answer

  package init(_ statement: Statement, _ parameters: Parameters, read: @escaping (Rows) -> Answer) {
    self.statement = statement
    self.parameters = parameters
    self.read = read
  }

  /// Creates a query whose rows are decoded together.
  /// - Parameter values: the values of `$1`, `$2` … in order.
  package init<each Value: ParameterValue>(
    _ statement: Statement, _ values: repeat each Value, read: @escaping (Rows) -> Answer
  ) {
    self.init(statement, Parameters(repeat each values), read: read)
  }

  /// Creates a query whose rows are decoded one by one.
  package init<each Value: ParameterValue, Element>(
    each statement: Statement, _ values: repeat each Value, read: @escaping (inout RowReader) -> Element
  ) where Answer == [Element] {
    self.init(statement, Parameters(repeat each values)) { $0.decode(read) }
  }

  /// Creates a query that returns one row.
  package init<each Value: ParameterValue>(
    one statement: Statement, _ values: repeat each Value, read: @escaping (inout RowReader) -> Answer
  ) {
    self.init(statement, Parameters(repeat each values)) { $0.decodeOne(read) }
  }

  /// Creates a query that returns one row or none, which is nil.
  package init<each Value: ParameterValue, Element>(
    first statement: Statement, _ values: repeat each Value, read: @escaping (inout RowReader) -> Element?
  ) where Answer == Element? {
    self.init(statement, Parameters(repeat each values)) { $0.decodeFirst(read) }
  }

  /// Returns the same query with its answer transformed.
  package func map<Other>(_ transform: @escaping (Answer) -> Other) -> Query<Other> {
    Query<Other>(statement, parameters) { transform(read($0)) }
  }
}

extension Connection {
  /// Runs a query and decodes its answer.
  package func run<Answer>(_ query: Query<Answer>) throws(PostgresError) -> Answer {
    query.read(try run(query.statement, query.parameters))
  }
}

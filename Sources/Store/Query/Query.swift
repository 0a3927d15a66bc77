package import Postgres

/// A statement, its parameters, and a closure that decodes its rows. Creating a query does not run the statement.
package struct Query<Answer> {
  package let statement: Statement
  package let parameters: Parameters
  package let read: (Rows) -> Answer

  package init(_ statement: Statement, _ parameters: Parameters, read: @escaping (Rows) -> Answer) {
    self.statement = statement
    self.parameters = parameters
    self.read = read
  }

  /// Creates a query whose `read` decodes all rows together.
  /// - Parameter values: the values of `$1`, `$2` … in order.
  package init<each Value: ParameterValue>(
    _ statement: Statement, _ values: repeat each Value, read: @escaping (Rows) -> Answer
  ) {
    self.init(statement, Parameters(repeat each values), read: read)
  }

  /// Creates a query whose answer has one element for each row, in the order of the rows; empty if there are none.
  package init<each Value: ParameterValue, Element>(
    each statement: Statement, _ values: repeat each Value, read: @escaping (inout RowReader) -> Element
  ) where Answer == [Element] {
    self.init(statement, Parameters(repeat each values)) { $0.decode(read) }
  }

  /// Creates a query for a statement that returns exactly one row. Decoding traps if there is none, and in debug builds
  /// if there are several.
  package init<each Value: ParameterValue>(
    one statement: Statement, _ values: repeat each Value, read: @escaping (inout RowReader) -> Answer
  ) {
    self.init(statement, Parameters(repeat each values)) { $0.decodeOne(read) }
  }

  /// Creates a query for a statement that returns at most one row. The answer is nil if there is no row, or if `read`
  /// returns nil for it. If there are several, decoding traps in debug builds, and otherwise reads the first.
  package init<each Value: ParameterValue, Element>(
    first statement: Statement, _ values: repeat each Value, read: @escaping (inout RowReader) -> Element?
  ) where Answer == Element? {
    self.init(statement, Parameters(repeat each values)) { $0.decodeFirst(read) }
  }

  /// Returns a query with the same statement and parameters, whose answer is this query's answer after `transform`.
  package func map<Other>(_ transform: @escaping (Answer) -> Other) -> Query<Other> {
    Query<Other>(statement, parameters) { transform(read($0)) }
  }
}

extension Connection {
  /// Runs a query, blocking until the database has answered, and decodes the answer.
  package func run<Answer>(_ query: Query<Answer>) throws(PostgresError) -> Answer {
    query.read(try run(query.statement, query.parameters))
  }
}

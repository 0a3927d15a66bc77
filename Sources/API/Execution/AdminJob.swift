internal import Domain
internal import HTTPServer
internal import Postgres

/// A call of the legacy API that runs on an admin thread. It receives the thread's database connection, or the reason
/// why there is none.
typealias AdminJob = @Sendable (Result<Connection, Problem>) -> Response

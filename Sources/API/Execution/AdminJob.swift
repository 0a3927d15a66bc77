internal import Domain
internal import HTTPServer
internal import Postgres

/// Straight-line work of the legacy API: receives a connection, or the reason why there is none.
typealias AdminJob = @Sendable (Result<Connection, Problem>) -> Response

package import Domain
package import HTTPServer
package import Postgres

/// Straight-line work of another door: it gets a connection, or the reason why there is none.
package typealias AdminJob = @Sendable (Result<Connection, Problem>) -> Response

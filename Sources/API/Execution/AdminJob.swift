internal import Domain
internal import HTTPServer
internal import Postgres

/// A call of the legacy API that runs on an admin thread and returns the call's response. It receives the thread's
/// database connection, or the problem to answer with: the database is unreachable, the server is stopping, or another
/// request has displaced the call from the queue. In the last case it runs on the thread that queues that request.
typealias AdminJob = @Sendable (Result<Connection, Problem>) -> Response

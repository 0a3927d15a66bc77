package import Store

/// A database step of a batch: a statement, and the code that reads its rows.
package typealias Step = Query<Void>

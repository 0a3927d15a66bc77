package import Store

/// A database step of a batch: a statement whose answer the batch takes in.
package typealias Step = Query<Void>

package import Domain
package import Postgres
internal import Store

/// Translates database errors into problems for the caller.
extension Problem {
  package init(_ error: PostgresError) {
    if error.mayBeCommitted {
      self = .outcomeUnknown
      return
    }
    if error.isConnectionLost {
      self.init(
        .databaseAway,
        "Try again in a moment. If this was a send, repeat it with the same Idempotency-Key: it may have been stored.")
      return
    }
    switch error.constraint {
    case "apps_app_id_is_unique":
      self.init(.conflict, "An app with this id exists already; `upmc app list` shows its client key.")
    case "app_purges_app_id_is_unique":
      self.init(.conflict, "An app with this id was deleted. The id is never used again: choose another one.")
    case "apps_deleted_are_not_changed":
      self.init(
        .conflict,
        """
        The app is being deleted: nothing of it is changed any more. Until its grace ends, `upmc app restore` takes that \
        back.
        """)
      isOfDeletedApp = true
    case "groups_name_is_unique_below_parent":
      self.init(.conflict, "The parent has a group of this name already. Choose another name.")
    case "segments_name_is_unique":
      self.init(.conflict, "The app has a segment of this name already. Choose another name, or change that one.")
    case "users_tags_are_few", "devices_tags_are_few":
      self.init(
        .impossible, at: "/add",
        """
        would give somebody more than \(Domain.Limits.tagsPerOwner) tags; users and devices are changed in parts of \
        \(Operations.Limits.taggedOwners), and nothing of this part was
        """)
    case "accounts_login_is_unique": self.init(.conflict, "An account with this login exists already.")
    case "saved_messages_sender_is_unique":
      self.init(.conflict, "The app has a sender of this name already. Choose another name, or change that one.")
    case "channels_name_is_unique": self = .channelNameTaken
    case "channels_apns_channel_is_unique":
      self.init(.conflict, "This channel of Apple's is known here already, under another name.")
    case "groups_parent_fkey": self.init(.unknownGroup, "The parent group was deleted meanwhile.")
    default: self.init(withoutConstraint: error)
    }
  }

  /// Problem for a COMMIT without a response, so that it is unknown whether it took effect.
  package static var outcomeUnknown: Problem {
    Problem(
      .outcomeUnknown,
      """
      The database has not said whether this was stored. Repeat it with the same Idempotency-Key, or look before you \
      repeat it.
      """)
  }

  private init(withoutConstraint error: PostgresError) {
    switch error.sqlState {
    case .characterNotInRepertoire?:
      self.init(.malformed, "A text holds U+0000, which cannot be stored.")
    case .tooManyConnections?, .lockNotAvailable?, .queryCanceled?, .deadlockDetected?, .serializationFailure?:
      self.init(.busy, "The database is busy. Try again in a moment.")
    case .diskFull?:
      self.init(.busy, "The database's disk is full, and nothing of this was stored. Try again later.")
    case .undefinedTable?, .undefinedColumn?:
      self.init(.internalError, "The database's schema does not fit this program. Run `upmc migrate`.")
    default:
      // The error may be logged, because it contains no data.
      self.init(.internalError, "The database refused: \(error).")
    }
  }
}

extension Connection {
  /// Runs a query, converting its error into a problem.
  func answer<Answer>(_ query: Query<Answer>) throws(Problem) -> Answer {
    do {
      return try run(query)
    } catch {
      throw Problem(error)
    }
  }

  /// Runs several queries, converting an error into a problem. Opens no transaction, so queries before the error keep
  /// their effect.
  func answer<Answer>(_ body: () throws(PostgresError) -> Answer) throws(Problem) -> Answer {
    do {
      return try body()
    } catch {
      throw Problem(error)
    }
  }

  /// Runs `body` in a transaction. Deadlocks and serialization failures roll back and run it again, up to
  /// `transactionAttempts` times in all; other errors roll back and become problems.
  func commit<Outcome>(_ body: () throws(PostgresError) -> Outcome) throws(Problem) -> Outcome {
    do {
      return try transaction(attempts: Operations.Limits.transactionAttempts, body)
    } catch {
      throw Problem(error)
    }
  }

  /// Runs `body` in a transaction, without retries. An error of `body` or of the database rolls the transaction back,
  /// and is thrown as a problem.
  func commitReading<Outcome>(_ body: () throws(Problem) -> Outcome) throws(Problem) -> Outcome {
    do {
      return try withTransaction(body)
    } catch let problem as Problem {
      throw problem
    } catch let error as PostgresError {
      throw Problem(error)
    } catch {
      throw Problem(.internalError, "\(error)")
    }
  }
}

extension Operations.Limits {
  /// Maximum number of attempts of a transaction that deadlocks or fails to serialize.
  static let transactionAttempts = 5
}

internal import Domain

/// One controller of the protocol, and who answers for it. The table below is the door; a test calls each of them.
struct Controller: Sendable {
  typealias Endpoint = @Sendable (ControllerDoor) -> (LegacyCall) throws(LegacyRefusal) -> Void

  let name: StaticString
  /// Only servers that are trusted may call it.
  let isForServers: Bool
  /// It may bring a large body: a list of people, or a file of them.
  let takesLongForms: Bool
  let endpoint: Endpoint

  private init(
    _ name: StaticString, isForServers: Bool = false, takesLongForms: Bool = false, _ endpoint: @escaping Endpoint
  ) {
    self.name = name
    self.isForServers = isForServers
    self.takesLongForms = takesLongForms
    self.endpoint = endpoint
  }

  static let all: [Controller] = [
    // Devices.
    Controller("asking_authorization") { $0.askKey },
    Controller("rcv_register_service") { $0.registerService },
    Controller("rcv_register_user") { $0.registerUser },
    Controller("new_rcv_register_service_and_user") { $0.registerServiceAndUser },
    Controller("rcv_register_service_and_user") { $0.registerServiceAndUser },
    Controller("rcv_get_service") { $0.showService },
    Controller("rcv_delete_service") { $0.deleteService },
    Controller("rcv_delete_user") { $0.deleteUser },
    Controller("rcv_register_usergroup_user") { $0.joinGroup },
    Controller("rcv_delete_usergroup_user") { $0.leaveGroup },
    Controller("rcv_register_sent_ack") { $0.receive },
    Controller("rcv_register_send_result") { $0.read },
    Controller("rcv_init_badgeNo") { $0.setBadge },
    Controller("rcv_appAlive") { $0.appAlive },
    Controller("rcv_comm_configuration") { $0.showConfiguration },
    Controller("reAllocateUpns") { $0.showConfiguration },
    Controller("putAppLog") { $0.showConfiguration },
    // What is not served, said in words.
    Controller("rcv_add_service") { door in
      door.refusing("Services are not added one by one here: register with rcv_register_service.ctl.")
    },
    Controller("getEncriptKey") { door in
      door.refusing("No key encrypts single fields here: TLS encrypts the whole call. Send the fields as they are.")
    },
    Controller("wpns_rcv_register_service_and_user") { door in
      door.refusing("This call \(SDKWords.webPush).")
    },
    // Servers; the first also devices.
    Controller("rcv_register_message", isForServers: true, takesLongForms: true) { $0.sendMessage },
    Controller("rcv_register_groupmessage", isForServers: true, takesLongForms: true) { $0.sendGroupMessage },
    Controller("rcv_register_csvmessage", isForServers: true, takesLongForms: true) { $0.sendCSVMessage },
    Controller("rcv_message_cancel_reservation", isForServers: true) { $0.cancelReservation },
    Controller("rcv_retry_message", isForServers: true) { $0.retryMessage },
    Controller("rcv_getSentMsgInfo", isForServers: true) { $0.showMessage },
    Controller("rcv_register_usergroup", isForServers: true) { $0.createGroup },
    Controller("rcv_get_usergroup", isForServers: true) { $0.listGroups },
    Controller("rcv_delete_usergroup", isForServers: true) { $0.deleteGroup },
    Controller("rcv_get_usergroup_user", isForServers: true) { $0.listGroupUsers },
  ]

  static let byName: [String: Controller] = Dictionary(uniqueKeysWithValues: all.map { ("\($0.name)", $0) })
}

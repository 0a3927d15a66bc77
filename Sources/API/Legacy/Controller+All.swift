internal import Domain

/// All controllers of the protocol: first the calls of devices, then calls that are always refused with an explanation,
/// then those of servers. Devices can make the first of the server calls, `rcv_register_message`, too.
extension Controller {
  private static let device = "CNAME DEVICE_TYPE DEVICE_MD OS_VER APP_VER APNS_MODE NOTIFICATION_YN AD_YN NIGHT_AD_YN"
  private static let confirmation = "SEQNO! STATUS_KIND SENDDATE SENDERCODE DB_IN pushkey"
  private static let message = """
    MESSAGE! SUB_TITLE SOUNDFILE PRIORITY BADGENO RESERVEDATE EXT SERVICECODE SENDERCODE DB_IN TEMPLATE_YN SPLIT_MSG_CNT \
    DELAY_SECOND SEND_TIME_LIMIT PUSH_FAIL_SMS_SEND SMS_READ_WAIT_MINUTE CUST_KEY CUST_VAR1 CUST_VAR2 CUST_VAR3
    """
  private static let sent = #"{"SENDMSG_SEQNO":"104","REG_SUCCESS_CNT":1,"REG_FAIL_CNT":0,"NOTEXISTCUIDS":[]}"#
  private static let key = #"[{"AUTHKEY":"3.…","APPID":"com.example.bank"}]"#

  static let all: [Controller] = [
    Controller(
      "asking_authorization", "Ask for a key",
      "For half an hour, for the app and the PSID and, once registered, the device.",
      body: #"[{"AUTHKEY":"3.…"}]"#
    ) { $0.askKey },
    Controller(
      "rcv_register_service", "Register the service",
      "Whose the device is stays. With a new PSID and the AUTHKEY of the last registration the device keeps its user; "
        + "without that key it is a guest until it names its user again (`rcv_get_service` answers `C`).", device,
      body: key
    ) { $0.registerService },
    Controller(
      "rcv_register_user", "Name the user", "CUID `GUEST`: nobody.", "CNAME USERPROOF", body: key
    ) { $0.registerUser },
    Controller(
      "new_rcv_register_service_and_user", "Register the service and name the user", "Both in one call.",
      device + " USERPROOF CBSID", body: key
    ) { $0.registerServiceAndUser },
    Controller(
      "rcv_register_service_and_user", "Register the service and name the user, by its older name", "The same.",
      device + " USERPROOF CBSID", body: key
    ) { $0.registerServiceAndUser },
    Controller(
      "rcv_get_service", "Ask how the device is registered",
      "`Y`; `C`: for another user than CUID, so that the SDK names its user again; `N`: not at all.", device,
      body: #"[{"ISREGISTERED":"Y"}]"#
    ) { $0.showService },
    Controller("rcv_delete_service", "Unregister the service", "Repeated calls succeed.") { $0.deleteService },
    Controller("rcv_delete_user", "Unregister the user", "The device becomes a guest's. Repeated calls succeed.") {
      $0.deleteUser
    },
    Controller("rcv_register_usergroup_user", "Join a group", "Repeated calls succeed.", "GROUPSEQ!") { $0.joinGroup },
    Controller("rcv_delete_usergroup_user", "Leave a group", "Repeated calls succeed.", "GROUPSEQ!") { $0.leaveGroup },
    Controller(
      "rcv_register_sent_ack", "Confirm that a message was received",
      """
      By its pushkey, or by the device's AUTHKEY for a message that was sent to this device. The app's extension and the \
      app may both do so.
      """, confirmation
    ) { $0.receive },
    Controller(
      "rcv_register_send_result", "Confirm that a message was read",
      """
      BADGENO -1, or none: takes one off the count; 0: resets it; 1 to 1000: sets it. In apps that are `proof`, an AUTHKEY \
      that was only asked for takes one off, whatever BADGENO says.
      """, confirmation + " BADGENO",
      body: #"[{"BADGENO":"2"}]"#
    ) { $0.read },
    Controller(
      "rcv_init_badgeNo", "Set the badge count", "0 to 1000; 0 resets it.", "BADGENO!", body: #"[{"BADGENO":"7"}]"#
    ) { $0.setBadge },
    Controller("rcv_appAlive", "Say that the app is there", "Notes when the device was last seen.") { $0.appAlive },
    Controller("rcv_comm_configuration", "Ask for the configuration", "There is nothing to configure.") {
      $0.showConfiguration
    },
    Controller("reAllocateUpns", "Ask for a broker", "There is none: pushes come through APNs and FCM.") {
      $0.showConfiguration
    },
    Controller("putAppLog", "Send the app's log", "It is not kept, nor read.") { $0.showConfiguration },
    Controller(
      "rcv_add_service", "Add a service", "Refused in words (`500`): register with `rcv_register_service`.", body: "[]"
    ) { handler in
      handler.refusing("Services are not added one by one here: register with rcv_register_service.ctl.")
    },
    Controller(
      "getEncriptKey", "Ask for an encryption key", "Refused in words (`500`): TLS encrypts the whole call.", body: "[]"
    ) { handler in
      handler.refusing("No key encrypts single fields here: TLS encrypts the whole call. Send the fields as they are.")
    },
    Controller(
      "wpns_rcv_register_service_and_user", "Register for web push",
      "Refused in words (`500`): web push (PNSID `WPNS`) is not served here.", body: "[]"
    ) { handler in
      handler.refusing("This call \(SDKWords.webPush).")
    },
    Controller(
      "rcv_register_message", "Send to people",
      "From a server: by its address (UPMC_CTL_TRUSTED_SENDERS) or an API key. From a device, where the app lets it, with "
        + "SENDERCODE `device-ios` or `device-android` and its AUTHKEY.", "TYPE CUID GROUPSEQ REQ_PSIDS " + message,
      body: sent, isForServers: true, takesLongForms: true
    ) { $0.sendMessage },
    Controller(
      "rcv_register_groupmessage", "Send to a group", "TYPE `G`; or `A`, with an empty GROUPSEQ: everyone.",
      "TYPE GROUPSEQ " + message, body: sent, isForServers: true, takesLongForms: true
    ) { $0.sendGroupMessage },
    Controller(
      "rcv_register_csvmessage", "Send to the users of a file",
      "Multipart, with a file part `upload_file` of lines `CUID,NAME[,VAR1…VAR9]`.", message, body: sent,
      isForServers: true, takesLongForms: true
    ) { $0.sendCSVMessage },
    Controller(
      "rcv_message_cancel_reservation", "Cancel a reserved message", "As long as it was not sent.", "RESERVE_SEQNO!",
      body: "{}", isForServers: true
    ) { $0.cancelReservation },
    Controller(
      "rcv_retry_message", "Send once more",
      "To those whom it failed to reach (1), who have not received (2) or read it (3).",
      "SEQNO! RETRY_TYPE! SPLIT_MSG_CNT DELAY_SECOND", body: sent, isForServers: true
    ) { $0.retryMessage },
    Controller(
      "rcv_getSentMsgInfo", "Ask how a message stands", "Its numbers.", "SEQNO!", body: "{}", isForServers: true
    ) { $0.showMessage },
    Controller(
      "rcv_register_usergroup", "Make a group", "At the top, or below another.", "GROUPNAME! PARENTSEQ", body: "{}",
      isForServers: true
    ) { $0.createGroup },
    Controller(
      "rcv_get_usergroup", "List groups", "A thousand at a time, after LAST_GROUPSEQ.", "LAST_GROUPSEQ", body: "{}",
      isForServers: true
    ) { $0.listGroups },
    Controller(
      "rcv_delete_usergroup", "Delete a group", "With its memberships.", "GROUPSEQ!", body: "{}", isForServers: true
    ) { $0.deleteGroup },
    Controller(
      "rcv_get_usergroup_user", "List a group's users", "A thousand at a time, after LAST_CUID.", "GROUPSEQ! LAST_CUID",
      body: "{}",
      isForServers: true
    ) { $0.listGroupUsers },
  ]
}

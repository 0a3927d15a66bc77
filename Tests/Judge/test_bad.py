"""Histories in which one thing is wrong: each is refused, for that reason and no other."""

import unittest

from made_up import Story


class Bad(unittest.TestCase):
    def refuse(self, story, promise, words):
        found = story.judged()
        self.assertEqual({one.promise for one in found}, {promise}, [str(one) for one in found])
        self.assertTrue(any(words in one.what for one in found), [one.what for one in found])
        self.assertTrue(all(one.evidence for one in found))


class Form(Bad):
    def test_an_attempt_without_an_end(self):
        story = Story().people()
        story.begin("getBadge", device="device-phone")
        story.note("end")
        self.refuse(story, "form", "nobody saw the end")

    def test_two_answers(self):
        story = Story().people()
        story.end(story.register("phone", "t1", "kim"), device="device-phone")
        self.refuse(story, "form", "a second one")

    def test_an_answer_before_its_question(self):
        story = Story().people()
        story.get_badge("phone", 0)
        story.lines[-1]["t"] -= 1_000_000
        self.refuse(story, "form", "before its question")

    def test_an_attempt_that_is_missing(self):
        story = Story().people()
        story.get_badge("phone", 0)
        story.get_badge("phone", 0)
        del story.lines[-4:-2]
        self.refuse(story, "form", "are missing")


class Idempotency(Bad):
    def test_a_key_that_makes_two_messages(self):
        story = Story().people().campaign()
        story.send("k1", "2")
        self.refuse(story, "idempotency", "made two messages")

    def test_two_keys_with_one_message(self):
        story = Story().people().campaign()
        story.send("k2", "1")
        self.refuse(story, "idempotency", "were given one message")

    def test_a_second_message_that_only_the_network_sees(self):
        story = Story().people().campaign()
        story.deliver("2", "t1")
        self.refuse(story, "idempotency", "more messages were delivered")

    def test_a_second_message_of_a_key_that_its_payload_shows(self):
        story = Story().people()
        story.send("k1", "1", outcome="unknown")
        story.send("k1", "1")
        story.deliver("2", "t1")["key"] = "k1"
        self.refuse(story, "idempotency", "made two messages")

    def test_numbers_of_a_message_that_nobody_asked_for(self):
        story = Story().people().campaign()
        story.funnel("5", targeted=0)
        self.refuse(story, "idempotency", "nobody asked for")


class Owner(Bad):
    def test_a_token_that_nobody_registered(self):
        story = Story().people()
        story.send("k1", "1")
        story.deliver("1", "t9")
        self.refuse(story, "owner", "nobody can have owned")

    def test_a_token_that_was_refused(self):
        story = Story().people()
        story.register("new", "t9", "park", "fail")
        story.send("k1", "1")
        story.deliver("1", "t9")
        self.refuse(story, "owner", "nobody can have owned")

    def test_a_token_that_had_moved_to_somebody_else(self):
        story = Story().people()
        story.register("other", "t1", "lee")
        story.send("k1", "1", "users", ["kim"])
        story.deliver("1", "t1")
        self.refuse(story, "owner", "was not meant")

    def test_somebody_who_was_not_meant(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"])
        story.deliver("1", "t3")
        self.refuse(story, "owner", "was not meant")

    def test_the_old_token_of_a_device_that_has_a_new_one(self):
        story = Story().people()
        story.register("phone", "t4", "kim")
        story.send("k1", "1")
        story.deliver("1", "t1")
        self.refuse(story, "owner", "nobody can have owned")

    def test_somebody_who_is_not_in_the_group(self):
        story = Story().people()
        story.call("join", device="device-phone", group="g")
        story.send("k1", "1", "groups", ["g"])
        story.deliver("1", "t3")
        self.refuse(story, "owner", "was not meant")

    def test_somebody_who_was_erased(self):
        story = Story().people()
        story.call("erase", user="kim")
        story.send("k1", "1")
        story.deliver("1", "t1")
        self.refuse(story, "owner", "nobody can have owned")


class Badge(Bad):
    def test_a_payload_with_another_count(self):
        self.refuse(Story().people().campaign(badge=["increment", 1], carried=2), "badge", "no order")

    def test_a_payload_without_a_count(self):
        story = Story().people()
        story.set_badge("phone", 5)
        story.send("k1", "1", "users", ["kim"], ["increment", 1])
        story.deliver("1", "t1", 5)
        story.deliver("1", "t2", 5)
        story.funnel("1", targeted=2, accepted=2)
        self.refuse(story, "badge", "says 5")

    def test_an_increment_that_counts_twice(self):
        story = Story().people().campaign(badge=["increment", 1], carried=1)
        story.get_badge("phone", 2)
        self.refuse(story, "badge", "says 2")

    def test_an_increment_that_is_lost(self):
        story = Story().people().campaign(badge=["increment", 2], carried=2)
        story.get_badge("phone", 0)
        self.refuse(story, "badge", "says 0")

    def test_a_read_that_counts_twice(self):
        story = Story().people().campaign(badge=["increment", 3], carried=3)
        story.read("1", "t1", 2)
        story.read("1", "t2", 1)
        self.refuse(story, "badge", "says 1")

    def test_a_read_that_is_not_kept(self):
        story = Story().people().campaign(badge=["increment", 3], carried=3)
        story.read("1", "t1", 2)
        story.get_badge("phone", 3)
        self.refuse(story, "badge", "says 3")

    def test_a_reset_that_does_not_reset(self):
        story = Story().people().campaign(badge=["increment", 3], carried=3)
        story.read("1", "t1", 1, "reset")
        self.refuse(story, "badge", "says 1")

    def test_an_update_that_counts_a_second_time(self):
        story = Story().people().campaign()
        story.read("1", "t1", 5, "update", 5)
        story.read("1", "t1", 8, "update", 8)
        self.refuse(story, "badge", "says 8")

    def test_a_force_that_counts_only_once(self):
        story = Story().people().campaign()
        story.read("1", "t1", 5, "force", 5)
        story.read("1", "t1", 5, "force", 8)
        self.refuse(story, "badge", "says 5")

    def test_a_set_that_was_answered_and_is_lost(self):
        story = Story().people()
        story.set_badge("phone", 5)
        story.get_badge("phone", 0)
        self.refuse(story, "badge", "says 0")

    def test_a_set_that_was_refused_and_has_happened(self):
        story = Story().people()
        story.set_badge("phone", 5, "fail")
        story.get_badge("phone", 5)
        self.refuse(story, "badge", "says 5")

    def test_concurrent_sets_that_both_come_last(self):
        story = Story().people()
        first, second = story.begin("setBadge", device="device-phone", value=5), \
            story.begin("setBadge", device="device-tablet", value=6)
        story.end(first, badge=5)
        story.end(second, badge=6)
        story.get_badge("phone", 5)
        story.get_badge("phone", 6)
        self.refuse(story, "badge", "says 6")

    def test_an_unknown_set_that_happens_and_does_not(self):
        story = Story().people()
        story.set_badge("phone", 5, "unknown")
        story.get_badge("phone", 5)
        story.get_badge("phone", 0)
        self.refuse(story, "badge", "says 0")

    def test_an_unknown_read_that_happens_twice(self):
        story = Story().people().campaign(badge=["increment", 3], carried=3)
        story.read("1", "t1", 2, outcome="unknown")
        story.read("1", "t1", 1)
        self.refuse(story, "badge", "says 1")

    def test_an_increment_that_is_taken_back_although_it_arrived(self):
        story = Story().people().campaign(badge=["increment", 1], carried=1)
        story.set_badge("other", 1)
        story.get_badge("phone", 0)
        self.refuse(story, "badge", "says 0")

    def test_an_increment_that_is_not_taken_back(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"], ["increment", 2])
        story.funnel("1", "expired", targeted=2, expired=2)
        story.get_badge("phone", 2)
        self.refuse(story, "badge", "says 2")

    def test_an_increment_that_is_taken_back_after_a_set(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"], ["increment", 2])
        story.get_badge("phone", 2)
        story.set_badge("phone", 9)
        story.funnel("1", "expired", targeted=2, expired=2)
        story.get_badge("phone", 7)
        self.refuse(story, "badge", "says 7")

    def test_a_count_beyond_a_thousand(self):
        story = Story().people()
        story.set_badge("phone", 999)
        story.send("k1", "1", "users", ["kim"], ["increment", 5])
        story.deliver("1", "t1", 1004)
        self.refuse(story, "badge", "says 1004")

    def test_somebody_elses_read(self):
        story = Story().people().campaign(badge=["increment", 1], carried=1)
        story.read("1", "t3", 0)
        story.get_badge("phone", 0)
        self.refuse(story, "badge", "says 0")


class Once(Bad):
    def test_a_delivery_that_nobody_saw(self):
        story = Story().people()
        story.send("k1", "1")
        story.deliver("1", "t1")
        story.deliver("1", "t2")
        story.funnel("1", targeted=3, accepted=2, skipped=1)
        story.funnel("1", targeted=3, accepted=2, skipped=1)
        story.lines[-3]["accepted"] = story.lines[-1]["accepted"] = 3
        story.lines[-3]["skipped"] = story.lines[-1]["skipped"] = 0
        self.refuse(story, "once", "are said to have been reached")

    def test_a_device_that_was_forgotten(self):
        story = Story().people()
        story.send("k1", "1")
        story.deliver("1", "t1")
        story.deliver("1", "t2")
        story.funnel("1", targeted=2, accepted=2)
        self.refuse(story, "once", "did not reach")

    def test_a_device_that_changes_its_token_meanwhile_and_is_left_out(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("pause", "1")
        story.register("phone", "t4", "kim")
        story.control("resume", "1")
        story.deliver("1", "t2")
        story.deliver("1", "t3")
        story.funnel("1", targeted=2, accepted=2)
        self.refuse(story, "once", "did not reach")

    def test_a_duplicate_that_is_not_counted(self):
        story = Story().people()
        story.send("k1", "1")
        for token in ("t1", "t2", "t3", "t2"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=3)
        self.refuse(story, "once", "too often")

    def test_an_arrival_that_is_called_expired(self):
        story = Story().people()
        story.send("k1", "1")
        for token in ("t1", "t2", "t3"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=2, expired=1)
        self.refuse(story, "once", "only 0 in doubt")

    def test_a_repetition_under_another_id(self):
        story = Story().people()
        story.send("k1", "1")
        for token in ("t1", "t2", "t3"):
            story.deliver("1", token)
        story.deliver("1", "t1", apns="another")
        story.funnel("1", targeted=3, accepted=3, unknown=1, resent=1)
        self.refuse(story, "once", "under two ids")

    def test_one_id_for_two_devices(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"])
        story.deliver("1", "t1", apns="x")
        story.deliver("1", "t2", apns="x")
        story.funnel("1", targeted=2, accepted=1, unknown=1, skipped=1)
        self.refuse(story, "once", "one id for two devices")

    def test_a_delivery_before_it_was_asked_for(self):
        story = Story().people()
        story.send("k1", "1")
        story.deliver("1", "t1", at=story.lines[-2]["t"] - 1)
        self.refuse(story, "once", "before it was asked for")

    def test_two_collapse_ids(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"])
        story.deliver("1", "t1", collapse="a")
        story.deliver("1", "t2", collapse="b")
        self.refuse(story, "once", "two collapse-ids")

    def test_a_message_without_an_end(self):
        story = Story().people()
        story.send("k1", "1")
        story.note("end")
        self.refuse(story, "once", "never seen to end")


class Stop(Bad):
    def test_a_delivery_after_a_cancellation(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("cancel", "1")
        story.tick(4)
        story.deliver("1", "t1")
        self.refuse(story, "stop", "its cancel was answered")

    def test_a_delivery_while_it_is_paused(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("pause", "1")
        story.tick(4)
        story.deliver("1", "t1")
        story.control("resume", "1")
        self.refuse(story, "stop", "its pause was answered")

    def test_a_delivery_in_a_second_pause(self):
        story = Story().people()
        story.send("k1", "1")
        for control in ("pause", "resume", "pause"):
            story.control(control, "1")
        story.tick(4)
        story.deliver("1", "t1")
        self.refuse(story, "stop", "its pause was answered")

    def test_a_cancellation_that_nobody_asked_for(self):
        story = Story().people()
        story.send("k1", "1")
        story.funnel("1", "cancelled", targeted=3, cancelled=3)
        self.refuse(story, "stop", "nobody asked for that")

    def test_a_cancellation_that_was_answered_and_did_nothing(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("cancel", "1")
        story.funnel("1", "sending", targeted=3, pending=3)
        self.refuse(story, "stop", "sending after its cancellation")

    def test_a_resumption_does_not_undo_a_cancellation(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("cancel", "1")
        story.control("resume", "1", "unknown")
        story.tick(4)
        story.deliver("1", "t1")
        self.refuse(story, "stop", "its cancel was answered")


class Funnel(Bad):
    def test_numbers_that_do_not_add_up(self):
        story = Story().people().campaign()
        story.lines[-1]["pending"] = 1
        self.refuse(story, "funnel", "does not add up")

    def test_numbers_before_the_audience(self):
        story = Story().people()
        story.send("k1", "1")
        story.funnel("1", "sending", targeted=None, pending=None, accepted=1)
        self.refuse(story, "funnel", "before anybody was counted")

    def test_completed_with_pending(self):
        story = Story().people()
        story.send("k1", "1")
        story.funnel("1", targeted=3, pending=3)
        self.refuse(story, "funnel", "with devices pending")

    def test_accepted_goes_down(self):
        story = Story().people()
        story.send("k1", "1")
        story.funnel("1", "sending", targeted=3, pending=1, accepted=2)
        story.funnel("1", "sending", targeted=3, pending=2, accepted=1)
        self.refuse(story, "funnel", "accepted went from 2 to 1")

    def test_an_end_that_is_taken_back(self):
        story = Story().people()
        story.send("k1", "1")
        story.control("cancel", "1", "unknown")
        story.funnel("1", "cancelled", targeted=3, pending=3)
        story.funnel("1", "sending", targeted=3, pending=3)
        self.refuse(story, "funnel", "was cancelled and is sending")

    def test_numbers_that_move_after_the_end(self):
        story = Story().people().campaign()
        story.funnel("1", "expired", targeted=3, accepted=3)
        self.refuse(story, "funnel", "moved after its end: state")

    def test_more_read_than_received(self):
        story = Story().people().campaign()
        story.funnel("1", targeted=3, accepted=3, read=1)
        found = {one.promise for one in story.judged()}
        self.assertEqual(found, {"funnel", "confirm"})


class Confirm(Bad):
    def test_a_repetition_that_counts_again(self):
        story = Story().people().campaign()
        story.receipt("1", "t1")
        story.receipt("1", "t1")
        story.funnel("1", targeted=3, accepted=3, received=2)
        self.refuse(story, "confirm", "received is 2, and must be 1 to 1")

    def test_a_receipt_that_was_refused(self):
        story = Story().people().campaign()
        story.receipt("1", "t1", "unknownMessage")
        self.refuse(story, "confirm", "was answered unknownMessage")

    def test_a_receipt_that_is_not_counted(self):
        story = Story().people().campaign()
        story.receipt("1", "t1")
        story.funnel("1", targeted=3, accepted=3)
        self.refuse(story, "confirm", "received is 0")

    def test_a_receipt_that_nobody_gave(self):
        story = Story().people().campaign()
        story.funnel("1", targeted=3, accepted=3, received=1)
        self.refuse(story, "confirm", "received is 1")


    def test_a_receipt_of_a_message_that_nobody_knows(self):
        story = Story().people()
        story.receipt("9", "t1")
        self.refuse(story, "confirm", "of message 9, which nobody asked for")

    def test_a_receipt_that_is_not_counted_beside_an_erasure(self):
        story = Story().people().campaign()
        story.receipt("1", "t1")
        story.receipt("1", "t3")
        story.call("erase", user="kim")
        story.funnel("1", targeted=3, accepted=3)
        self.refuse(story, "confirm", "must be 1 to 2")

    def test_a_receipt_of_what_never_arrived(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"])
        story.deliver("1", "t1")
        story.receipt("1", "t2")
        self.refuse(story, "confirm", "which it never reached")


class Told(Bad):
    def test_an_end_that_is_two_events(self):
        story = Story().people().campaign()
        story.event("e1", "1", None, "message.finished")
        story.event("e2", "1", None, "message.finished")
        self.refuse(story, "told", "is 2 events")

    def test_two_ends_more_than_it_went_on(self):
        story = Story().people().campaign()
        story.event("e1", "1", None, "message.finished")
        story.event("e2", "1", None, "message.reopened")
        story.event("e3", "1", None, "message.finished")
        story.event("e4", "1", None, "message.finished")
        self.refuse(story, "told", "is 3 events")

    def test_going_on_without_an_end(self):
        story = Story().people().campaign()
        story.event("e1", "1", None, "message.reopened")
        self.refuse(story, "told", "its end was never told")

    def test_going_on_more_often_than_was_told(self):
        story = Story().people()
        story.send("k1", "1")
        for token in ("t1", "t2"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=2, rejected=1)
        story.event("e1", "1", None, "message.finished")
        story.event("e2", "1", None, "message.reopened")
        story.funnel("1", "sending", targeted=3, accepted=2, pending=1)
        story.funnel("1", targeted=3, accepted=2, rejected=1)
        story.funnel("1", "sending", targeted=3, accepted=2, pending=1)
        self.refuse(story, "funnel", "moved after its end: state, pending, rejected")

    def test_an_end_that_is_not_told(self):
        story = Story().people()
        story.send("k1", "1")
        for token in ("t1", "t2", "t3"):
            story.deliver("1", token)
        story.funnel("1", targeted=3, accepted=3)
        story.note("end")
        self.refuse(story, "told", "was not told")

    def test_the_end_of_nothing(self):
        story = Story().people()
        story.event("e1", "7", None, "message.finished")
        self.refuse(story, "told", "which nobody sent")


class ShortMessages(Bad):
    def test_one_before_its_message(self):
        story = Story().people()
        early = story.event("e1", "1", "kim")
        story.campaign(sms=[5, "received"])
        self.assertLess(early["t"], story.now)
        self.refuse(story, "sms", "before message 1")

    def campaign(self, **sms):
        story = Story().people()
        return story.campaign(sms=[5, sms.get("unless", "received")])

    def test_two_for_one_person(self):
        story = self.campaign()
        story.tick(6)
        story.event("e1", "1", "kim")
        story.event("e2", "1", "kim")
        self.refuse(story, "sms", "2 short messages")

    def test_one_for_who_has_confirmed_in_time(self):
        story = self.campaign()
        story.receipt("1", "t2")
        story.tick(6)
        story.event("e1", "1", "kim")
        self.refuse(story, "sms", "had confirmed")

    def test_one_that_nobody_asked_for(self):
        story = Story().people().campaign()
        story.event("e1", "1", "kim")
        self.refuse(story, "sms", "did not ask for")

    def test_one_of_a_message_that_nobody_sent(self):
        story = Story().people().campaign()
        story.event("e1", "7", "kim")
        self.refuse(story, "sms", "which nobody sent")

    def test_one_for_who_was_not_meant(self):
        story = Story().people()
        story.send("k1", "1", "users", ["kim"], sms=[5, "received"])
        story.event("e1", "1", "lee")
        self.refuse(story, "sms", "to user lee")

    def test_none_for_who_has_confirmed_nothing(self):
        story = self.campaign()
        story.receipt("1", "t2")
        story.tick(6)
        story.told("1")
        self.refuse(story, "sms", "no short message was asked for")


if __name__ == "__main__":
    unittest.main()

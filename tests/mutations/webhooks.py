"""Mistakes of the webhooks: a door that lets in, or a yes for what is not written.

Data flow: streaming/webhooks -> Mutation
Run: python -m tests.mutations webhooks
"""

from tests.mutations.mutation import Mutation

TESTS = "tests/streaming/webhooks"

WEBHOOKS = (
    Mutation(
        "webhooks: any signature is enough if there is a secret",
        "streaming/webhooks/signature.py",
        "if not any(matches):",
        "if not matches:",
        f"{TESTS}/test_signature.py::test_another_body_is_refused",
    ),
    Mutation(
        "webhooks: an id may have a dot",
        "streaming/webhooks/signature.py",
        "[A-Za-z0-9_-]{1,128}",
        "[A-Za-z0-9._-]{1,128}",
        f"{TESTS}/test_signature.py::test_a_dot_in_the_id_cannot_move_the_borders",
    ),
    Mutation(
        "webhooks: an old request may be sent again for ever",
        "streaming/webhooks/signature.py",
        "if abs(now - int(seconds)) > TOLERANCE_SECONDS:",
        "if int(seconds) - now > TOLERANCE_SECONDS:",
        f"{TESTS}/test_signature.py::test_a_time_too_far_from_our_clock_is_refused",
    ),
    Mutation(
        "webhooks: a secret that has ended still signs",
        "streaming/webhooks/senders.py",
        "return [key_of(one.text) for one in self.secrets if one.until is None or now < one.until]",
        "return [key_of(one.text) for one in self.secrets]",
        f"{TESTS}/test_senders.py::test_a_new_secret_lets_the_old_one_go_on_for_a_while",
    ),
    Mutation(
        "webhooks: captured changes may be written",
        "streaming/webhooks/topics.py",
        "    if contract.captured:\n",
        "    if False:\n",
        f"{TESTS}/test_topics.py::test_captured_changes_are_the_captures_own",
    ),
    Mutation(
        "webhooks: who has not signed uses up a sender's rate",
        "streaming/webhooks/app.py",
        "        sender, identity = self._sender(request, body)\n",
        "        self._rates.take(self._senders.now()[request.headers[SENDER]])\n"
        "        sender, identity = self._sender(request, body)\n",
        f"{TESTS}/test_app.py::test_a_wrong_signature_takes_nothing_from_the_rate",
    ),
    Mutation(
        "webhooks: a body that hides its size is read to its end",
        "streaming/webhooks/request.py",
        "if size > MAX_BYTES:",
        "if size < 0:",
        f"{TESTS}/test_app.py::test_a_large_body_that_hides_its_size_is_cut_off",
    ),
    Mutation(
        "webhooks: who asks for a check writes",
        "streaming/webhooks/app.py",
        "        if is_check:\n",
        "        if False:\n",
        f"{TESTS}/test_app.py::test_a_check_gives_each_reason_and_writes_nothing",
    ),
    Mutation(
        "webhooks: a rule that a check cannot read counts as kept",
        "streaming/webhooks/check.py",
        "            unknown[reason] = None\n",
        "            continue\n",
        f"{TESTS}/test_check.py::test_a_rule_that_cannot_be_read_is_named",
    ),
    Mutation(
        "webhooks: a check takes a value of another type for a missing one",
        "streaming/webhooks/json_text.py",
        "found[name], fits = found[name] if misfit.rest is None else misfit.rest, False",
        "found[name] = found[name] if misfit.rest is None else misfit.rest",
        f"{TESTS}/test_check.py::test_a_value_of_another_type_is_not_missing",
    ),
)

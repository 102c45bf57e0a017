"""Mistakes about who may do what with Kafka: a door that asks nobody, a file that tells a password, a right nobody was given.

Data flow: infra/kafka, infra/shop/services/connect.py, infra/settings.py -> Mutation
Run: python -m tests.mutations kafka
"""

from tests.mutations.mutation import Mutation

RIGHTS = "tests/infra/test_kafka_rights.py"
SENT = "tests/streaming/test_sent_topics.py"

KAFKA_DOORS = (
    Mutation(
        "kafka: the shop may write any topic",
        "infra/kafka/rights.py",
        "*topics((DESCRIBE,), ANY), LOOKS),\n        User.WEBHOOKS",
        "*topics((DESCRIBE, WRITE), ANY), LOOKS),\n        User.WEBHOOKS",
        f"{RIGHTS}::test_who_sends_events_writes_the_topics_that_are_named_and_no_other",
    ),
    Mutation(
        "kafka: who sends events may write captured changes",
        "streaming/sent_topics.py",
        "if not one.captured and not own_writer",
        "if not own_writer",
        f"{SENT}::test_captured_changes_are_granted_to_nobody_who_sends",
    ),
    Mutation(
        "kafka: who sends events may write what the platform writes",
        "streaming/sent_topics.py",
        " and not own_writer(s, topic, User.SENDER)",
        "",
        f"{SENT}::test_a_name_that_the_platform_writes_is_granted_to_nobody",
    ),
    Mutation(
        "kafka: with the order service on the shop may write orders too",
        "streaming/shop/writers.py",
        'found[ORDERS] = Writer(f"{_only(ORDERS)}: {instead}")',
        "pass",
        f"{SENT}::test_with_the_order_service_on_the_shop_sends_what_it_may",
    ),
    Mutation(
        "kafka: a writer beside the topic's own is refused",
        "streaming/own_writers.py",
        "if own and user not in own.beside else None",
        "if own else None",
        f"{SENT}::test_with_the_order_service_on_the_shop_sends_what_it_may",
    ),
    Mutation(
        "kafka: who was given nothing may do everything",
        "infra/kafka/door.py",
        '"allow.everyone.if.no.acl.found": "false"',
        '"allow.everyone.if.no.acl.found": "true"',
        f"{RIGHTS}::test_what_nobody_was_given_is_refused_on_every_listener",
    ),
    Mutation(
        "kafka: any user may log in at the controllers",
        "infra/kafka/door.py",
        "put(controllers_file(folder), _lines(s, SUPER))",
        "put(controllers_file(folder), _lines(s, User))",
        f"{RIGHTS}::test_controllers_let_nobody_in_but_brokers_and_the_owner",
    ),
    Mutation(
        "kafka: brokers start although their own password is empty",
        "infra/kafka/door.py",
        "for user in SUPER if not password(s, user)]",
        "for user in SUPER if password(s, user) is None]",
        f"{RIGHTS}::test_brokers_without_passwords_do_not_start",
    ),
    Mutation(
        "kafka: a Kafka of yours is told our passwords",
        "infra/kafka/login.py",
        's.embedded("kafka_bootstrap") and bool(',
        "bool(",
        f"{RIGHTS}::test_a_kafka_of_yours_is_told_what_you_say",
    ),
    Mutation(
        "kafka: the owner's password stands in for every program's",
        "infra/kafka/login.py",
        "    _acting[0] = user\n",
        "    _acting[0] = User.OWNER\n",
        f"{RIGHTS}::test_every_client_says_who_the_process_is",
    ),
    Mutation(
        "kafka: a password that is wrong is told with its error",
        "infra/settings.py",
        "annotation is SecretStr",
        "annotation is None",
        f"{RIGHTS}::test_a_password_that_java_could_misread_is_refused",
    ),
    Mutation(
        "kafka: whoever reaches Connect's port may give it code",
        "infra/shop/services/connect.py",
        '"rest.extension.classes": ',
        '"none": ',
        f"{RIGHTS}::test_connect_asks_who_wants_a_connector",
    ),
    Mutation(
        "kafka: the lines to connect show the password to whoever looks on",
        "infra/commands/kafka_lines.py",
        "password(s, user) if show else conf",
        "password(s, user)",
        f"{RIGHTS}::test_the_lines_to_copy_name_files_and_no_password",
    ),
)

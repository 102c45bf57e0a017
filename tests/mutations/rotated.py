"""Mistakes of a rotation of secrets: one that is interrupted begins anew, one that leaves a service with what it had.

Data flow: infra/rotation.py, infra/services, infra/kafka/client.py -> Mutation
Run: python -m tests.mutations rotation
"""

from tests.mutations.mutation import Mutation

ROTATION = "tests/infra/test_rotation.py"
TAKEN = "tests/infra/test_secrets_taken.py"

ROTATED = (
    Mutation(
        "rotation: our certificate and its key stay in force",
        "infra/rotation.py",
        "    give_up(s, new.authority)\n",
        "",
        f"{ROTATION}::test_our_certificate_is_another_one_and_yours_stays",
    ),
    Mutation(
        "rotation: the configuration of a driver keeps the key that it had",
        "infra/rotation.py",
        "    forget_keys(s)\n",
        "    forget_keys\n",
        f"{ROTATION}::test_no_drivers_configuration_keeps_an_old_key",
    ),
    Mutation(
        "rotation: one that was interrupted makes other secrets",
        "infra/rotation.py",
        "begun(s.home) or Rotation(_changing(s), ())",
        "Rotation(_changing(s), ())",
        f"{ROTATION}::test_an_interrupted_one_goes_on_with_its_secrets_and_programs",
    ),
    Mutation(
        "rotation: what did not run any more when it went on stays down",
        "infra/rotation.py",
        "(*known.programs, *programs)",
        "programs",
        f"{ROTATION}::test_an_interrupted_one_goes_on_with_its_secrets_and_programs",
    ),
    Mutation(
        "rotation: what the old Fernet key has encrypted is lost",
        "infra/rotation.py",
        'f"{name}={new[name]},{old}" if name == FERNET else f"{name}={new[name]}"',
        'f"{name}={new[name]}"',
        f"{ROTATION}::test_what_the_old_fernet_key_encrypted_is_read_until_the_end",
    ),
    Mutation(
        "rotation: the old Fernet key still decrypts when all is done",
        "infra/services/airflow.py",
        '"FERNET_KEY": _fernet_keys(s)[0]',
        '"FERNET_KEY": ",".join(_fernet_keys(s))',
        f"{ROTATION}::test_what_the_old_fernet_key_encrypted_is_read_until_the_end",
    ),
    Mutation(
        "rotation: a secret of the environment counts as changed",
        "infra/rotation.py",
        "if name not in os.environ and not",
        "if not",
        f"{ROTATION}::test_it_says_which_secrets_it_does_not_touch",
    ),
    Mutation(
        "rotation: a key's name is changed too, and the store knows nobody of that name",
        "infra/secrets.py",
        "for name, value in _wanted(s).items() if not is_name(name)",
        "for name, value in _wanted(s).items()",
        f"{ROTATION}::test_every_secret_is_another_one_and_all_else_stays",
    ),
    Mutation(
        "rotation: Postgres keeps the password that it was made with",
        "infra/services/postgres.py",
        '        owner_password.take(s, data, Role.OWNER, _command(s, "--single"))\n',
        "",
        "tests/infra/test_owner_password.py::test_a_new_password_holds_with_the_next_start",
    ),
    Mutation(
        "rotation: a sender that is refused says the same password for ever",
        "infra/kafka/client.py",
        "login.of_librdkafka(load())",
        "login.of_librdkafka(settings())",
        f"{TAKEN}::test_a_sender_that_is_refused_takes_the_password_of_now",
    ),
    Mutation(
        "rotation: the files that people log in with keep the old password",
        "infra/commands/secrets.py",
        "        if login.tools_file(s, user).exists():",
        "        if not login.tools_file(s, user).exists():",
        f"{TAKEN}::test_what_people_were_given_is_given_again",
    ),
)

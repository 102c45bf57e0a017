"""Mistakes about TLS: a client that looks at less than CA, host and time, a service that also hears who speaks none.

Data flow: infra/tls, infra/kafka, infra/lake, infra/services -> Mutation
Run: python -m tests.mutations tls
"""

from tests.mutations.mutation import Mutation

UNITS, SERVICES, CLIENTS = (f"tests/infra/test_tls{one}.py" for one in ("", "_services", "_clients"))
REFUSED = f"{SERVICES}::test_clients_refuse_a_certificate_of_another_host_time_or_authority"
OPTIONS = "tests/infra/test_tls_options.py"

TLS = (
    Mutation(
        "tls: the queue broker starts in the clear",
        "infra/tls/prepare.py",
        "if s.has_tls and QUEUE in on:",
        "if not s.has_tls and QUEUE in on:",
        f"{OPTIONS}::test_the_queue_broker_is_refused_before_anything_is_changed",
    ),
    Mutation(
        "tls: the cache is at a port, in the clear",
        "infra/shop/services/cache.py",
        "**(at_socket if s.has_tls else at_port),",
        "**(at_socket | at_port if s.has_tls else at_port),",
        f"{OPTIONS}::test_the_cache_is_at_a_socket_of_its_owner_and_no_port",
    ),
    Mutation(
        "tls: Kafka Connect's interface is in the clear",
        "infra/shop/services/connect.py",
        "'https' if s.has_tls else 'http'",
        "'http' if s.has_tls else 'http'",
        f"{OPTIONS}::test_connects_interface_is_encrypted",
    ),
    Mutation(
        "tls: Postgres lets in who does not encrypt",
        "infra/services/postgres.py",
        'kind="hostssl" if s.has_tls else "host"',
        'kind="host"',
        f"{SERVICES}::test_who_speaks_no_tls_is_not_heard",
    ),
    Mutation(
        "tls: clients of Postgres do not look at the host",
        "infra/tls_settings.py",
        "sslmode=verify-full",
        "sslmode=verify-ca",
        f"{REFUSED}[otherhost]",
    ),
    Mutation(
        "tls: S3 clients trust the machine's authorities only",
        "infra/tls/trust.py",
        'return str(ca_file(s.home)) if _is_ours(s, "s3_endpoint") else None',
        "return None",
        f"{SERVICES}::test_a_client_takes_the_right_certificate[minio]",
    ),
    Mutation(
        "tls: a JVM trusts the machine's authorities only",
        "infra/class_archive.py",
        "-Djavax.net.ssl.trustStore{name}",
        "-Djavax.net.ssl.trusts{name}",
        f"{SERVICES}::test_a_jvms_clients_take_the_right_certificates",
    ),
    Mutation(
        "tls: Debezium takes any certificate",
        "infra/shop/db/connector.py",
        '**{f"database.{name}": value for name, value in libpqs(own).items()},',
        '**{f"database.{name}": "require" for name in libpqs(own) if name == "sslmode"},',
        f"{SERVICES}::test_a_jvms_clients_refuse_wrong_certificates[otherhost]",
    ),
    Mutation(
        "tls: Airflow's asynchronous client takes any certificate",
        "infra/airflow/database.py",
        '{"ssl": ssl.create_default_context(cafile=parts["sslrootcert"])}',
        '{"ssl": "require"}',
        f"{REFUSED}[foreign]",
    ),
    Mutation(
        "tls: dbt takes any certificate of the gateway",
        "infra/sql/verified_dbt.py",
        "vars(connections)[build_ssl_transport.__name__] = build_ssl_transport",
        "vars(connections).setdefault(build_ssl_transport.__name__, build_ssl_transport)",
        f"{CLIENTS}::test_a_wrong_certificate_is_refused_before_a_word_is_said[dbt-foreign]",
    ),
    Mutation(
        "tls: clients of the gateway do not look at its host",
        "infra/sql/reach.py",
        "server_hostname=self._name)",
        "server_hostname='other.example')",
        f"{CLIENTS}::test_a_wrong_certificate_is_refused_before_a_word_is_said[pyhive-otherhost]",
    ),
    Mutation(
        "tls: the command line gives its password to any Airflow",
        "infra/airflow/client.py",
        'context(s, "airflow_url") or True',
        "False",
        f"{CLIENTS}::test_a_wrong_certificate_is_refused_before_a_word_is_said[airflow-foreign]",
    ),
    Mutation(
        "tls: webhooks take what comes in the clear",
        "streaming/webhooks/__main__.py",
        "ssl_certfile=str(files(s).certificate) if s.has_tls else None",
        "ssl_certfile=None",
        "tests/streaming/webhooks/test_program.py::test_without_kafka_nothing_is_taken_and_status_says_so[on]",
    ),
    Mutation(
        "tls: a certificate is renewed after its end",
        "infra/tls/prepare.py",
        "return now < served.ends - RENEWED_BEFORE and all(",
        "return now < served.ends and all(",
        f"{UNITS}::test_ours_is_renewed_a_month_before_its_end_by_the_same_authority",
    ),
    Mutation(
        "tls: a program goes on with the old certificate",
        "infra/services/roster.py",
        "SERVED: fingerprint(s)",
        "SERVED: s.tls_host",
        f"{UNITS}::test_each_program_is_another_one_with_another_certificate",
    ),
    Mutation(
        "tls: a certificate of yours that has expired is served",
        "infra/tls/check.py",
        "if now > one.not_valid_after_utc:",
        "if now > one.not_valid_after_utc.replace(year=9999):",
        f"{UNITS}::test_one_of_yours_that_is_unfit_is_refused_and_is_a_problem[expired]",
    ),
    Mutation(
        "tls: nobody asks whether clients would take a certificate of yours",
        "infra/tls/check.py",
        "_meet(given, host)",
        "given.ends",
        f"{UNITS}::test_one_of_yours_that_is_unfit_is_refused_and_is_a_problem[another host]",
    ),
)

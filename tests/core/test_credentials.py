"""Credentials in texts are masked completely."""

import pytest
from jupyter_colophon.core.credentials import mask_secrets_in_code, mask_secrets_in_comment, mask_secrets_in_text

SECRET = "hunter2"
SOURCES = r"""
spark.read.format("jdbc").option("password", "hunter2").option("user", "bob").load()
spark.read.option('url', f"jdbc:postgresql://bob:hunter2@h/db").load()
connect(host="h", password="hunter2", user="bob")
connect(secret=b'hunter2')
connect(pw = hunter('hunter2') + "hunter2")
token: str = "hunter2"
token = hash_of(b"hunter2", 'hunter2')
spark.conf.set("fs.s3a.secret.key", "hunter2")
spark.conf.set("fs.azure.account.key.box.dfs.core.windows.net", "hunter2")
spark.sql("CREATE USER x IDENTIFIED BY 'hunter2'")
spark.sql("ALTER USER x IDENTIFIED WITH method BY 'hunter2'")
spark.sql('''CREATE TABLE t USING jdbc OPTIONS (url 'jdbc:x', password 'hunter2', user 'bob')''')
spark.sql("SET fs.s3a.secret.key=hunter2")
spark.sql("SET spark.x.secret = hunter2")
settings["password"] = "hunter2"
{"user": "bob", "password": "hunter2"}
'{"password": "hunter2"}'
"{\"password\": \"hunter2\"}"
"jdbc:sqlserver://h;user=bob;password=hunter2;x=1"
"jdbc:teradata://h/USER=bob,PASSWORD=hunter2,TMODE=x"
"jdbc:oracle:thin:scott/hunter2@tns"
"jdbc:mysql://h/db?user=bob&password=hunter2"
"s3a://key:hunter2@bucket/x"
"abfss://box@account.dfs.core.windows.net/x?sig=hunter2"
spark.read.text("mongodb://bob:hunter2@h/db?x=1")
.option("kafka.sasl.jaas.config", 'x required username="bob" password="hunter2";')
jaas = 'x required username="bob" password="hunter2";'
SparkConf().setAll([("spark.hadoop.fs.s3a.secret.key", "hunter2")])
spark.read.load(**{"sas_token": 'hunter2'})
set_password("hunter2")
%env AWS_SECRET_ACCESS_KEY=hunter2
%sql SET x.password=hunter2
!curl -H "Authorization: Bearer hunter2xxx" http://x
!tool --password hunter2 run
# password hunter2
# my password is hunter2
# spark.conf.set("fs.s3a.secret.key", "hunter2")
password = "hunter2
password = '''hunter2
""".strip().splitlines()


@pytest.mark.parametrize("source", SOURCES)
def test_credential_values_are_masked(source: str) -> None:
    for masked in (
        mask_secrets_in_code(source),
        mask_secrets_in_code(f"import x\n{source}\n"),
        mask_secrets_in_code(f"%%cell\n{source}"),
    ):
        assert SECRET not in masked
        assert "***" in masked


def test_multiline_keyword_ends_with_its_value() -> None:
    source = 'connect(\n    password="hunter2",\n    user="bob",\n)\nprint("hello")\n'
    assert mask_secrets_in_code(source) == source.replace(SECRET, "***")


@pytest.mark.parametrize(
    "source",
    [
        'df.select("id", "name").write.saveAsTable("shop.orders")',
        'token_frame.write.saveAsTable("shop.orders")',
        'spark.read.csv("s3a://bucket/a=b/c.csv")',
        'spark.read.csv("abfss://box@account.dfs.core.windows.net/x")',
        "x = 1  # the day: monday",
        "%%sql\nSELECT id AS a FROM t WHERE day = 'mon'",
    ],
)
def test_other_text_is_unchanged(source: str) -> None:
    assert mask_secrets_in_code(source) == source


def test_credentials_in_messages_and_comments_are_masked() -> None:
    assert mask_secrets_in_text("no route to jdbc:mysql://bob:hunter2@h/db") == "no route to jdbc:mysql://***@h/db"
    assert mask_secrets_in_text("cannot use password=hunter2") == "cannot use password=***"
    assert mask_secrets_in_comment("Load orders, password hunter2") == "Load orders, password ***"


@pytest.mark.parametrize(
    "part", ["'\"", '\\"', '"""', "a://", "a://@", "password=", "a.", "((", "#", "--a ", "jdbc:oracle:a:"]
)
def test_hostile_texts_are_masked_in_linear_time(part: str) -> None:
    assert isinstance(mask_secrets_in_code(part * 10_000), str)

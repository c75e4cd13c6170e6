from __future__ import annotations

import uuid

import httpx
import pytest

from tests.engine.conftest import Database, bearer


def stranger(http: httpx.Client) -> dict[str, str]:
    return bearer(http.post("/v1/identity").json()["token"])


@pytest.mark.parametrize("method_and_path", ["PUT /v1/database/js", "POST /v1/database"])
def test_javascript_modules_are_refused_before_the_engine_sees_them(
    http: httpx.Client, method_and_path: str
) -> None:
    method, path = method_and_path.split()
    answer = http.request(method, f"{path}?host_type=Js", content=b"export {};")
    assert answer.status_code == 400
    assert "JavaScript" in answer.text
    assert http.get("/v1/ping").status_code == 200


def test_javascript_cannot_come_in_by_a_reset(http: httpx.Client, database: Database) -> None:
    answer = http.put(f"{database.path}/reset?host_type=Js", content=b"", headers=database.owner)
    assert answer.status_code == 400
    assert database.sql("SELECT * FROM lobby_projection")


def test_only_the_owner_changes_or_reads_what_is_private(
    http: httpx.Client, database: Database, lobby: bytes
) -> None:
    other = stranger(http)
    refused = {
        "update database": http.put(database.path, content=lobby, headers=other),
        "reset database": http.put(f"{database.path}?clear=true", content=lobby, headers=other),
        "delete database": http.delete(database.path, headers=other),
        "view module logs": http.get(f"{database.path}/logs", headers=other),
    }
    for action, answer in refused.items():
        assert answer.status_code == 403
        assert answer.text.endswith(
            f"is not authorized to perform action on database {database.identity}: {action}"
        )
    names = http.put(f"{database.path}/names", json=["mine-now"], headers=other)
    assert (names.status_code, names.json()) == (
        401,
        {"NotYourDatabase": {"database": database.identity}},
    )
    assert len(database.sql("SELECT * FROM lobby_projection")) == 8


def test_sql_of_a_stranger_may_read_what_is_public_only(
    http: httpx.Client, database: Database
) -> None:
    def status(statement: str) -> int:
        return http.post(f"{database.path}/sql", content=statement).status_code

    assert status("SELECT * FROM lobby_projection") == 200
    assert status("SELECT * FROM room") == 400
    assert status("DELETE FROM lobby_projection") == 400
    assert len(database.sql("SELECT * FROM room")) == 8


def test_publishing_again_keeps_the_rows_and_clear_drops_them(
    http: httpx.Client, database: Database, lobby: bytes
) -> None:
    for query, rows in (("", 8), ("?clear=true", 0)):
        answer = http.put(f"{database.path}{query}", content=lobby, headers=database.owner)
        assert answer.json()["Success"]["op"] == "updated"
        assert answer.json()["Success"]["database_identity"] == database.identity
        assert len(database.sql("SELECT * FROM lobby_projection")) == rows


def test_reset_without_a_module_starts_the_first_one_again(
    http: httpx.Client, database: Database
) -> None:
    answer = http.put(f"{database.path}/reset", headers=database.owner)
    assert answer.json()["Success"]["op"] == "updated"
    assert database.sql("SELECT * FROM lobby_projection") == []
    assert database.call("seed_rooms", 3).status_code == 200


def test_a_bad_module_neither_replaces_nor_clears_a_good_one(
    http: httpx.Client, database: Database
) -> None:
    for query in ("", "?clear=true"):
        answer = http.put(f"{database.path}{query}", content=b"\0asm junk", headers=database.owner)
        assert answer.status_code in (400, 500)
        assert len(database.sql("SELECT * FROM lobby_projection")) == 8


def test_a_name_stays_free_after_a_failed_publish(http: httpx.Client, lobby: bytes) -> None:
    path = f"/v1/database/test-{uuid.uuid4().hex[:12]}"
    assert http.put(path, content=b"junk").status_code == 500
    assert http.get(path).status_code == 404
    owner = stranger(http)
    assert http.put(path, content=lobby, headers=owner).json()["Success"]["op"] == "created"
    assert http.delete(path, headers=owner).status_code == 200
    assert http.get(path).status_code == 404


def test_a_database_without_a_name_is_reached_by_its_identity(
    http: httpx.Client, lobby: bytes
) -> None:
    owner = stranger(http)
    success = http.post("/v1/database", content=lobby, headers=owner).json()["Success"]
    assert success["domain"] is None
    path = f"/v1/database/{success['database_identity']}"
    assert http.get(f"{path}/names").json() == {"names": []}
    assert http.get(f"{path}/identity").text == success["database_identity"]
    assert http.post(f"{path}/names", content="now-with-a-name", headers=owner).status_code == 200
    assert http.get("/v1/database/now-with-a-name/identity").text == success["database_identity"]
    assert http.put(f"{path}/names", json=["renamed"], headers=owner).json() == "Success"
    assert http.get(f"{path}/names").json() == {"names": ["renamed"]}
    assert http.delete(path, headers=owner).status_code == 200
    assert http.delete(path, headers=owner).status_code == 200
    assert http.get("/v1/database/renamed").status_code == 404


def test_names_in_use_cannot_be_taken(http: httpx.Client, database: Database, lobby: bytes) -> None:
    other = Database.publish(http, lobby)
    added = http.post(f"{other.path}/names", content=database.name, headers=other.owner)
    replaced = http.put(f"{other.path}/names", json=[database.name], headers=other.owner)
    assert (added.status_code, replaced.status_code) == (400, 400)
    assert http.get(f"{database.path}/identity").text == database.identity
    other.delete()


def test_an_identity_lists_its_databases(http: httpx.Client, database: Database) -> None:
    owner = http.get(database.path, headers=database.owner).headers["spacetime-identity"]
    listed = http.get(f"/v1/identity/{owner}/databases").json()
    assert listed == {"identities": [database.identity]}


def test_a_failing_reducer_answers_530_with_its_text(database: Database) -> None:
    answer = database.call("settle_street", 99)
    assert (answer.status_code, answer.text) == (530, "no room 99")


def test_logs_can_be_followed(http: httpx.Client, database: Database) -> None:
    follow = f"{database.path}/logs?num_lines=0&follow=true"
    with http.stream("GET", follow, headers=database.owner) as stream:
        database.call("nope")
        assert "nope" in next(stream.iter_lines())


def test_two_publishers_of_one_new_name_make_one_database(http: httpx.Client, lobby: bytes) -> None:
    from concurrent.futures import ThreadPoolExecutor

    path = f"/v1/database/test-{uuid.uuid4().hex[:12]}"
    owners = [stranger(http) for _ in range(4)]

    def put(owner: dict[str, str]) -> int:
        return http.put(path, content=lobby, headers=owner).status_code

    with ThreadPoolExecutor(len(owners)) as pool:
        statuses = list(pool.map(put, owners))
    assert sorted(statuses) == [200, 403, 403, 403]
    http.delete(path, headers=owners[statuses.index(200)])

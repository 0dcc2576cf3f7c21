"""Requests of tests to the server of the page, in this process."""

from starlette.testclient import TestClient

HOST = "http://127.0.0.1:8008"


def ask(client: TestClient, name: str, body: object, status: int = 200) -> dict:
    answer = client.post(f"/api/{name}", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()

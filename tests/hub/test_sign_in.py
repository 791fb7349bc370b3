"""A browser at the service's own address: sign-in by the hub, the page about the account, and sign-out."""

import http.cookiejar
import re
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field

import pytest
from support.hub import Hub, needs_hub

pytestmark = needs_hub


class _KeepRedirect(urllib.request.HTTPRedirectHandler):
    """Returns redirects instead of following them."""

    def redirect_request(self, *_arguments: object, **_options: object) -> None:
        return None


@dataclass
class Browser:
    """A browser with cookies."""

    hub: Hub
    cookies: http.cookiejar.CookieJar = field(default_factory=http.cookiejar.CookieJar)

    def open(
        self, path: str, form: dict[str, str] | None = None, *, follow: bool = True, mode: str = "navigate"
    ) -> tuple[int, str, str]:
        """Open a page; return the status, the URL (or where it redirects to), and the text."""
        handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPCookieProcessor(self.cookies)]
        if not follow:
            handlers.append(_KeepRedirect())
        url = urllib.parse.urljoin(self.hub.url, path)
        data = None if form is None else urllib.parse.urlencode(form).encode()
        headers = {"Sec-Fetch-Mode": mode, "Sec-Fetch-Site": "same-origin", "Accept": "text/html"}
        request = urllib.request.Request(url, data, headers)
        try:
            with urllib.request.build_opener(*handlers).open(request, timeout=60) as answer:
                return answer.status, answer.url, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers.get("Location", error.url), error.read().decode()

    def sign_in_to_hub(self, user: str) -> None:
        """Sign in at the hub's own page."""
        self.open("hub/login")
        xsrf = next(cookie.value or "" for cookie in self.cookies if cookie.name == "_xsrf")
        status, _, text = self.open("hub/login?next=%2Fhub%2Ftoken", {"username": user, "password": "x", "_xsrf": xsrf})
        assert status == 200, text

    def names(self) -> set[str]:
        """Return the names of the cookies for the service."""
        return {cookie.name for cookie in self.cookies if cookie.path.startswith("/services/colophon/")}


@pytest.fixture
def browser(hub: Hub, tokens: dict[str, str]) -> Browser:
    return Browser(hub)


def test_without_a_sign_in_the_hub_asks_who_it_is(browser: Browser) -> None:
    status, place, _ = browser.open("services/colophon/", follow=False)
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(place).query)
    assert status == 302
    assert urllib.parse.urlsplit(place).path == "/hub/api/oauth2/authorize"
    assert {"client_id", "state", "code_challenge", "redirect_uri"} <= query.keys()
    _, place, _ = browser.open("services/colophon/")
    assert urllib.parse.urlsplit(place).path == "/hub/login"


def test_the_page_shows_the_account_and_signs_out(browser: Browser) -> None:
    browser.sign_in_to_hub("alice")
    status, place, text = browser.open("services/colophon/")
    assert (status, urllib.parse.urlsplit(place).path) == (200, "/services/colophon/")
    assert "<strong>alice</strong>" in text
    assert "annotate, emit, read" in text
    assert "user_alice" in text
    assert "service-colophon" in browser.names()
    # Without the form's token, nothing happens.
    assert browser.open("services/colophon/logout", {"x": "y"})[0] == 403
    assert "service-colophon" in browser.names()
    xsrf = re.search(r'name="_xsrf" value="([^"]+)"', text)
    assert xsrf is not None
    assert browser.open("services/colophon/logout", {"_xsrf": xsrf[1]}, follow=False)[0] == 302
    assert "service-colophon" not in browser.names()


def test_the_cookie_does_not_open_the_catalog(browser: Browser) -> None:
    browser.sign_in_to_hub("alice")
    browser.open("services/colophon/")
    for mode in ("navigate", "cors", "no-cors", "same-origin"):
        for path in ("colophon/api/me", "colophon/api/search?q=x", "colophon/v3/namespaces"):
            assert browser.open(f"services/colophon/{path}", mode=mode)[0] in (401, 403)
        assert browser.open("services/colophon/colophon/api/proposals", {"a": "b"}, mode=mode)[0] in (401, 403)


def test_pages_of_a_single_user_server_import_panels(hub: Hub, tokens: dict[str, str], browser: Browser) -> None:
    (panel,) = hub.connect("alice", tokens["alice"]).list_app_panels()["panels"]
    browser.sign_in_to_hub("alice")
    # A page of the server, which asks the hub for the sign-in.
    assert browser.open("user/alice/files/missing")[0] == 404
    # An import sends the cookie, but no XSRF token, which everything else needs.
    status, _, text = browser.open(f"user/alice/{panel['module']}", mode="cors")
    assert status == 200, text
    assert "export async function activate" in text
    for path in ("colophon/api/me", "colophon/v3/namespaces"):
        assert browser.open(f"user/alice/{path}", mode="cors")[0] == 403


def test_a_sign_in_of_another_browser_is_refused(hub: Hub, browser: Browser) -> None:
    attacker = Browser(hub)
    attacker.sign_in_to_hub("bob")
    _, place, _ = attacker.open("services/colophon/", follow=False)
    _, callback, _ = attacker.open(place, follow=False)
    assert "/services/colophon/oauth_callback" in callback
    # The victim is sent to the attacker's callback, without and with a sign-in that was begun.
    for _ in range(2):
        status, _, text = browser.open(callback)
        assert (status, "was started in another browser" in text) == (403, True)
        assert "service-colophon" not in browser.names()
        browser.open("services/colophon/", follow=False)
    for query in ("", "?state=", "?state=x&code=y", "?error=access_denied"):
        assert browser.open(f"services/colophon/oauth_callback{query}")[0] == 403


def test_a_user_without_access_gets_no_page(hub: Hub, browser: Browser) -> None:
    hub.call("POST", "users/mallory")
    browser.sign_in_to_hub("mallory")
    status, _, text = browser.open("services/colophon/")
    assert status in (403, 404)
    assert "mallory</strong>" not in text

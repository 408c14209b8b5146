"""The addresses of servers."""

from __future__ import annotations

import hashlib
import hmac
import ssl
from dataclasses import dataclass
from ipaddress import IPv6Address
from urllib.parse import parse_qsl, urlsplit

from .errors import CaretError

DEFAULT_PORT = 22738


@dataclass(frozen=True, slots=True)
class Address:
    """`path` is that of a Unix socket, and empty for TCP."""

    name: str
    host: str = ""
    port: int = DEFAULT_PORT
    path: str = ""
    is_secure: bool = False
    trust: str = ""
    """A file with the certificates to trust instead of the system's."""
    pin: str = ""
    """The SHA-256 of the only certificate to trust, in hexadecimal digits."""

    def context(self) -> ssl.SSLContext:
        """How to check the certificate of the server."""
        try:
            context = ssl.create_default_context(cafile=self.trust or None)
        except OSError as error:
            raise CaretError("malformed", f"the certificates in {self.trust} cannot be read: {error}") from None
        if self.pin:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["caret/1"])
        return context

    def trusts(self, certificate: bytes) -> bool:
        """Whether the certificate is the pinned one, if one is pinned."""
        return not self.pin or hmac.compare_digest(hashlib.sha256(certificate).hexdigest(), self.pin)


def parse_address(text: str) -> Address:
    """Reads `host`, `host:port`, `caret://host:port`, `carets://host:port` with TLS, or the path of a Unix socket.

    After a `carets` address, `?trust=FILE` or `?pin=SHA256` says which certificates to trust. Raises a CaretError.
    """
    if "://" not in text and "/" in text:
        return Address(text, path=text)
    try:
        parts = urlsplit(text if "://" in text else f"caret://{_bracketed(text)}")
        host, port = parts.hostname, parts.port
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    except ValueError:
        raise malformed(text) from None
    is_secure = parts.scheme == "carets"
    unknown = options.keys() - ({"trust", "pin"} if is_secure else set())
    if parts.scheme not in ("caret", "carets") or not host or port == 0 or parts.path.strip("/") or unknown:
        raise malformed(text)
    pin = options.get("pin", "").replace(":", "").lower()
    if "pin" in options and (len(pin) != 64 or "trust" in options):
        raise malformed(text)
    port = DEFAULT_PORT if port is None else port
    return Address(f"{host}:{port}", host, port, "", is_secure, options.get("trust", ""), pin)


def _bracketed(text: str) -> str:
    """The address, in brackets if it is one of IPv6 without a port."""
    try:
        IPv6Address(text)
    except ValueError:
        return text
    return f"[{text}]"


def malformed(text: str) -> CaretError:
    return CaretError("malformed", f"{text!r} is no address of a server, such as caret://127.0.0.1:{DEFAULT_PORT}")

"""TLS contexts of the tests, based on Python's ssl."""

import ssl


def server_context(identity, *, client_authority=None, versions=(None, None), on_server_name=None):
    """Returns a server context.

    `versions` are the oldest and newest version. If set, `client_authority` must have signed the client's certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity.chain, identity.key)
    context.set_alpn_protocols(["http/1.1"])
    oldest, newest = versions
    if oldest:
        context.minimum_version = oldest
    if newest:
        context.maximum_version = newest
    if client_authority:
        context.load_verify_locations(client_authority)
        context.verify_mode = ssl.CERT_REQUIRED
    if on_server_name:
        context.sni_callback = lambda sock, name, context: on_server_name(name)
    return context


def client_context(root, identity=None):
    """Returns a client context that trusts a root and presents an identity, if given."""
    context = ssl.create_default_context(cafile=root)
    if identity:
        context.load_cert_chain(identity.chain, identity.key)
    return context

"""TLS as the tests speak it, on Python's ssl."""

import ssl


def server_context(identity, *, client_authority=None, versions=(None, None), on_server_name=None):
    """A server's context; `versions` are the oldest and newest, `client_authority` signs the clients it wants."""
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
    """A client's context that trusts a root, and shows an identity if it has one."""
    context = ssl.create_default_context(cafile=root)
    if identity:
        context.load_cert_chain(identity.chain, identity.key)
    return context

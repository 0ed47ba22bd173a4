"""Good and bad certificates, generated for each test run."""

import base64
import datetime
import hashlib
import ipaddress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from processes import run

PASSPHRASE = "geheim"
# The names in the good certificate.
NAMES = ("localhost", "127.0.0.1", "::1", "example.test", "*.example.test", "xn--bcher-kva.test")
DAY = datetime.timedelta(days=1)


class Certificate:
    """A certificate with its key, signed by `issuer`, or self-signed."""

    def __init__(self, name, issuer=None, *, names=NAMES, from_days=-2, to_days=30, key=None, is_authority=False,
                 usage=ExtendedKeyUsageOID.SERVER_AUTH):
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        self.subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        signer = issuer or self
        now = datetime.datetime.utcnow()
        builder = x509.CertificateBuilder(
            subject_name=self.subject, issuer_name=signer.subject, public_key=self.key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now + from_days * DAY, not_valid_after=now + to_days * DAY)
        public_key = signer.key.public_key()
        extensions = [
            (x509.BasicConstraints(ca=is_authority, path_length=None), True),
            (x509.SubjectKeyIdentifier.from_public_key(self.key.public_key()), False),
            (x509.AuthorityKeyIdentifier.from_issuer_public_key(public_key), False),
            (key_usage(is_authority), True)]
        if not is_authority:
            extensions.append((x509.ExtendedKeyUsage([usage]), False))
            if names:
                extensions.append((x509.SubjectAlternativeName([general_name(name) for name in names]), False))
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, is_critical)
        self.certificate = builder.sign(signer.key, hashes.SHA256())

    @property
    def pem(self):
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def pin(self):
        """The hash of the public key, in the format of --pin."""
        key = self.key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
        return "sha256//" + base64.b64encode(hashlib.sha256(key).digest()).decode()

    def key_pem(self, passphrase=None):
        encryption = (serialization.BestAvailableEncryption(passphrase.encode()) if passphrase
                      else serialization.NoEncryption())
        return self.key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def key_usage(is_authority):
    names = ("digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
             "key_cert_sign", "crl_sign", "encipher_only", "decipher_only")
    allowed = ("key_cert_sign", "crl_sign") if is_authority else ("digital_signature", "key_encipherment")
    return x509.KeyUsage(**{name: name in allowed for name in names})


def general_name(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class Identity:
    """A peer's identity: a certificate chain file, the key file of its first certificate, and that certificate's pin.

    `others` is a file with the rest of the chain, or None.
    """

    def __init__(self, directory, name, certificate, *others, passphrase=None):
        stem = name.replace(" ", "-")
        self.certificate = certificate
        self.pin = certificate.pin
        self.chain = directory / f"{stem}.pem"
        self.chain.write_bytes(b"".join(each.pem for each in (certificate, *others)))
        self.others = directory / f"{stem}.others.pem" if others else None
        if others:
            self.others.write_bytes(b"".join(each.pem for each in others))
        self.key = directory / f"{stem}.key"
        self.key.write_bytes(certificate.key_pem(passphrase))


class Certificates:
    """A trusted root, and certificate files signed by it or by others.

    `good` and `other` are valid. `bad` holds the invalid ones by kind.
    """

    def __init__(self, directory):
        self.directory = directory
        root = Certificate("wsx test root", is_authority=True)
        self.intermediate = Certificate("wsx test intermediate", root, is_authority=True)
        stranger = Certificate("wsx strange root", is_authority=True)

        self.root = directory / "root.pem"
        self.root.write_bytes(root.pem)
        self.strange_root = directory / "strange_root.pem"
        self.strange_root.write_bytes(stranger.pem)
        # A certificate directory as OpenSSL expects it: links named by subject hash.
        self.root_directory = directory / "roots"
        self.root_directory.mkdir()
        (self.root_directory / "root.pem").write_bytes(root.pem)
        assert run(["openssl", "rehash", self.root_directory]).status == 0
        self.empty_directory = directory / "empty"
        self.empty_directory.mkdir()

        self.good = self._identity("good")
        self.other = self._identity("other")
        self.client = self._identity("client", usage=ExtendedKeyUsageOID.CLIENT_AUTH, names=())
        self.locked_client = Identity(
            directory, "locked client", self.client.certificate, self.intermediate, passphrase=PASSPHRASE)
        leaf = self.good.certificate
        self.bad = {
            "expired": self._identity("expired", from_days=-30, to_days=-1),
            "not yet valid": self._identity("not yet valid", from_days=1),
            "self-signed": Identity(directory, "self-signed", Certificate("self-signed")),
            "unknown authority": Identity(directory, "unknown", Certificate("unknown", stranger), stranger),
            "wrong host": self._identity("wrong host", names=("elsewhere.test",)),
            "wrong address": self._identity("wrong address", names=("localhost", "127.0.0.9")),
            "wildcard across two labels": self._identity("wildcard", names=("*.example.test",)),
            "common name only": self._identity("localhost", names=()),
            "not for servers": self._identity("not for servers", usage=ExtendedKeyUsageOID.CLIENT_AUTH),
            "missing intermediate": Identity(directory, "missing intermediate", leaf),
            "weak key": self._identity("weak key", key=rsa.generate_private_key(65537, 1024)),
            "wrong order": Identity(directory, "wrong order", leaf, root, self.intermediate),
        }

    def _identity(self, name, **options):
        return Identity(
            self.directory, name, Certificate(name, self.intermediate, **options), self.intermediate)

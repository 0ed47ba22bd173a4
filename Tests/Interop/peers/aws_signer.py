"""Signs requests with botocore. Reads one request per line, as JSON, and writes its Authorization field."""

import json
import sys

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

for line in sys.stdin:
    given = json.loads(line)
    signer = SigV4Auth(Credentials(*given["credentials"]), given["service"], given["region"])
    request = AWSRequest(given["method"], given["url"], headers=given["headers"])
    request.context["timestamp"] = given["headers"]["X-Amz-Date"]
    text = signer.string_to_sign(request, signer.canonical_request(request))
    signer._inject_signature_to_request(request, signer.signature(text, request))
    print(request.headers["Authorization"])

// The parts of OpenSSL that wsx uses: digests, Base64 and secure random numbers.
#ifndef WSX_COPENSSL_SHIM_H
#define WSX_COPENSSL_SHIM_H

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#endif

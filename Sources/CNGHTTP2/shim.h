// nghttp2 for Swift.
#ifndef WSX_CNGHTTP2_SHIM_H
#define WSX_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>

#endif

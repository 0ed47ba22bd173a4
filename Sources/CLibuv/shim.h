// libuv as Swift sees it: the header, and functions for what it offers only as casts.
#ifndef WSX_CLIBUV_SHIM_H
#define WSX_CLIBUV_SHIM_H

#include <uv.h>

#endif

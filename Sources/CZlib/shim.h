// zlib as Swift sees it.
#ifndef WSX_CZLIB_SHIM_H
#define WSX_CZLIB_SHIM_H

#include <zlib.h>

#endif

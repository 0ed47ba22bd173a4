// GNU readline as Swift sees it: its mutable globals are not usable from Swift 6, so each has a function here.
#ifndef WSX_CREADLINE_SHIM_H
#define WSX_CREADLINE_SHIM_H

#include <stdio.h>
#include <stdlib.h>
#include <readline/readline.h>
#include <readline/history.h>

#endif

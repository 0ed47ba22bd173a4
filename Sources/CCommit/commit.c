#include "CCommit.h"

const char *wsx_commit(void) { return WSX_COMMIT; }

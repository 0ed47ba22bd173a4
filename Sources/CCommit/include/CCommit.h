#pragma once

/// The first seven digits of the commit that `make build` built, or an empty string for other builds.
///
/// A function, because only this target is compiled again after a commit. A value in the header would compile its users.
const char *wsx_commit(void);

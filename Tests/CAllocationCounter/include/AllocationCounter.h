#pragma once
#include <stdbool.h>

/// Whether allocations are counted here: with glibc, and without a sanitizer that has its own allocator.
bool allocation_counter_is_available(void);

/// Counts this thread's allocations from now on, from zero.
void allocation_counter_start(void);

/// Ends counting and returns how many allocations this thread has made since it began.
unsigned long allocation_counter_stop(void);

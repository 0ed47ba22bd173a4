// GNU readline as Swift sees it: its mutable globals are not usable from Swift 6, so each has a function here.
#ifndef WSX_CREADLINE_SHIM_H
#define WSX_CREADLINE_SHIM_H

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <readline/readline.h>
#include <readline/history.h>

// Reads from one descriptor and draws on another, which may be the same.
static inline void wsx_readline_set_streams(FILE *input, FILE *output) {
    rl_instream = input;
    rl_outstream = output;
}

static inline void wsx_readline_flush(void) { fflush(rl_outstream); }

static inline void wsx_readline_write(const char *text, size_t byte_count) {
    fwrite(text, 1, byte_count, rl_outstream);
    fflush(rl_outstream);
}

// Signals belong to the event loop; readline is told of them.
static inline void wsx_readline_configure(const char *name) {
    rl_readline_name = name;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_change_environment = 0;
}

static inline const char *wsx_readline_buffer(void) { return rl_line_buffer; }
static inline int wsx_readline_length(void) { return rl_end; }

// Binds the Enter key, in each keymap in which it accepts a line.
static inline void wsx_readline_bind_enter(rl_command_func_t *command) {
    rl_bind_key_in_map('\r', command, emacs_standard_keymap);
    rl_bind_key_in_map('\n', command, emacs_standard_keymap);
    rl_bind_key_in_map('\r', command, vi_insertion_keymap);
    rl_bind_key_in_map('\n', command, vi_insertion_keymap);
    rl_bind_key_in_map('\r', command, vi_movement_keymap);
    rl_bind_key_in_map('\n', command, vi_movement_keymap);
}

// Leaves an empty line, ready for the next, at the bottom of the history.
static inline void wsx_readline_reset_line(void) {
    rl_replace_line("", 1);
    rl_point = 0;
    rl_mark = 0;
    while (next_history()) {}
    if (rl_editing_mode == 0) rl_vi_insertion_mode(1, 'i');
}

// Whether a search or the like has the keys, so that an empty line is not all there is.
static inline int wsx_readline_is_busy(void) {
    return RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_MULTIKEY | RL_STATE_VIMOTION) != 0;
}

// The character set of the user's locale; a locale without UTF-8 gives way to one with it. In the environment, since
// readline sets the locale from there again.
static inline void wsx_readline_set_locale(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return;
    setenv("LC_ALL", "C.UTF-8", 1);
    setlocale(LC_CTYPE, "");
}

// A tab is text like any other: there is nothing to complete.
static inline void wsx_readline_bind_tab(void) {
    rl_bind_key_in_map('\t', rl_insert, emacs_standard_keymap);
    rl_bind_key_in_map('\t', rl_insert, vi_insertion_keymap);
}

#endif

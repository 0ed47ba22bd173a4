// GNU readline as Swift sees it: its mutable globals are not usable from Swift 6, so each has a function here.
#ifndef WSX_CREADLINE_SHIM_H
#define WSX_CREADLINE_SHIM_H

#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
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
static inline void wsx_readline_configure(void) {
    // For $if in an inputrc. Readline keeps the pointer.
    rl_readline_name = "wsx";
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

// Inserts pasted text without the newlines at its end, unless text follows it in the line. In vi's command mode, where
// the text would be read as commands, it is inserted as vi's `a` would.
static inline int wsx_readline_paste(int count, int key) {
    if (rl_editing_mode == 0 && rl_get_keymap() == vi_movement_keymap) rl_vi_append_mode(1, 'a');
    int result = rl_bracketed_paste_begin(count, key);
    if (rl_point == rl_end) {
        int end = rl_end;
        while (end > 0 && rl_line_buffer[end - 1] == '\n') end--;
        if (end < rl_end) rl_delete_text(end, rl_end);
        rl_point = end;
    }
    return result;
}

// Takes over what the terminal sends before pasted text, where readline is to ask the terminal for such marks.
static inline void wsx_readline_bind_paste(void) {
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap, vi_movement_keymap};
    for (int index = 0; index < 3; index++) {
        rl_command_func_t *present = rl_function_of_keyseq("\033[200~", maps[index], NULL);
        if (present == rl_bracketed_paste_begin || (present == NULL && maps[index] == vi_movement_keymap))
            rl_bind_keyseq_in_map("\033[200~", wsx_readline_paste, maps[index]);
    }
}

// Leaves an empty line, ready for the next, at the bottom of the history.
static inline void wsx_readline_reset_line(void) {
    rl_free_undo_list();
    // Also forgets the line from which one went up the history.
    rl_initialize();
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

// Binds the Tab key where it completes, unless the user has given it another meaning.
static inline void wsx_readline_bind_tab(rl_command_func_t *command) {
    Keymap maps[] = {emacs_standard_keymap, vi_insertion_keymap};
    for (int index = 0; index < 2; index++) {
        rl_command_func_t *present = rl_function_of_keyseq("\t", maps[index], NULL);
        if (present == rl_complete || present == rl_insert) rl_bind_key_in_map('\t', command, maps[index]);
    }
}

// Binds the keys that bash and others open an editor by, where they are free.
static inline void wsx_readline_bind_editor(rl_command_func_t *command) {
    rl_bind_keyseq_if_unbound_in_map("\\C-x\\C-e", command, emacs_standard_keymap);
    rl_bind_keyseq_if_unbound_in_map("v", command, vi_movement_keymap);
}

// Other keys that complete do so with what is offered here, too, and list it here. Readline would wait for an answer
// before a long list, and between its pages.
static inline void wsx_readline_set_completion(
    rl_completion_func_t *complete, rl_compdisp_func_t *display) {
    rl_attempted_completion_function = complete;
    rl_completion_display_matches_hook = display;
    rl_completer_word_break_characters = " \t\n\"'`{}[](),;=<>|&!?*+%^~#@$\\";
    rl_completion_query_items = 0;
    rl_variable_bind("page-completions", "off");
}

// No other completion is to be tried after ours.
static inline void wsx_readline_end_completion(void) {
    rl_attempted_completion_over = 1;
    rl_completion_append_character = '\0';
}

static inline int wsx_readline_point(void) { return rl_point; }

// Replaces a part of the line, as one change to be undone, and leaves the cursor behind it.
static inline void wsx_readline_replace(int start, int end, const char *text) {
    rl_begin_undo_group();
    rl_delete_text(start, end);
    rl_point = start;
    rl_insert_text(text);
    rl_end_undo_group();
}

static inline void wsx_readline_move_to_end(void) { rl_point = rl_end; }

static inline void wsx_readline_set_redisplay(rl_voidfunc_t *redisplay) { rl_redisplay_function = redisplay; }

// How many columns a character takes; negative for a control character. POSIX has wcwidth() in <wchar.h>, where only some
// feature macros declare it.
extern int wcwidth(wchar_t character);
static inline int wsx_character_width(unsigned character) { return wcwidth((wchar_t)character); }

// The prompt on the screen: readline's own during a search.
static inline const char *wsx_readline_prompt(void) { return rl_display_prompt; }

// Draws another text in place of the line.
static inline void wsx_readline_redisplay_as(char *text, int byte_count, int point) {
    char *line = rl_line_buffer;
    int line_end = rl_end, line_point = rl_point, line_mark = rl_mark;
    rl_deactivate_mark();
    rl_line_buffer = text;
    rl_end = byte_count;
    rl_point = point;
    rl_mark = 0;
    rl_redisplay();
    rl_line_buffer = line;
    rl_end = line_end;
    rl_point = line_point;
    rl_mark = line_mark;
}

static inline int wsx_readline_screen_descriptor(void) { return fileno(rl_outstream); }

#endif

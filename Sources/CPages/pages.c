#include "CPages.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    const unsigned char *text;
} files[] = {
    {"browser.html", (const unsigned char[]){
#embed "Check/browser.html" suffix(, 0)
    }},
    {"browser.js", (const unsigned char[]){
#embed "Check/browser.js" suffix(, 0)
    }},
    {"check.css", (const unsigned char[]){
#embed "Check/check.css" suffix(, 0)
    }},
    {"check.html", (const unsigned char[]){
#embed "Check/check.html" suffix(, 0)
    }},
    {"results.js", (const unsigned char[]){
#embed "Check/results.js" suffix(, 0)
    }},
    {"verdicts.js", (const unsigned char[]){
#embed "Check/verdicts.js" suffix(, 0)
    }},
    {"connection.js", (const unsigned char[]){
#embed "Console/connection.js" suffix(, 0)
    }},
    {"console.css", (const unsigned char[]){
#embed "Console/console.css" suffix(, 0)
    }},
    {"console.html", (const unsigned char[]){
#embed "Console/console.html" suffix(, 0)
    }},
    {"console.js", (const unsigned char[]){
#embed "Console/console.js" suffix(, 0)
    }},
    {"log.js", (const unsigned char[]){
#embed "Console/log.js" suffix(, 0)
    }},
    {"view.js", (const unsigned char[]){
#embed "Console/view.js" suffix(, 0)
    }},
    {"wsx-bench-merge.md", (const unsigned char[]){
#embed "Manual/wsx-bench-merge.md" suffix(, 0)
    }},
    {"wsx-bench.md", (const unsigned char[]){
#embed "Manual/wsx-bench.md" suffix(, 0)
    }},
    {"wsx-check.md", (const unsigned char[]){
#embed "Manual/wsx-check.md" suffix(, 0)
    }},
    {"wsx-completions.md", (const unsigned char[]){
#embed "Manual/wsx-completions.md" suffix(, 0)
    }},
    {"wsx-conditions.md", (const unsigned char[]){
#embed "Manual/wsx-conditions.md" suffix(, 0)
    }},
    {"wsx-connect.md", (const unsigned char[]){
#embed "Manual/wsx-connect.md" suffix(, 0)
    }},
    {"wsx-convert.md", (const unsigned char[]){
#embed "Manual/wsx-convert.md" suffix(, 0)
    }},
    {"wsx-curl.md", (const unsigned char[]){
#embed "Manual/wsx-curl.md" suffix(, 0)
    }},
    {"wsx-errors.md", (const unsigned char[]){
#embed "Manual/wsx-errors.md" suffix(, 0)
    }},
    {"wsx-formats.md", (const unsigned char[]){
#embed "Manual/wsx-formats.md" suffix(, 0)
    }},
    {"wsx-listen.md", (const unsigned char[]){
#embed "Manual/wsx-listen.md" suffix(, 0)
    }},
    {"wsx-options.md", (const unsigned char[]){
#embed "Manual/wsx-options.md" suffix(, 0)
    }},
    {"wsx-prompt.md", (const unsigned char[]){
#embed "Manual/wsx-prompt.md" suffix(, 0)
    }},
    {"wsx-protocols.md", (const unsigned char[]){
#embed "Manual/wsx-protocols.md" suffix(, 0)
    }},
    {"wsx-records.md", (const unsigned char[]){
#embed "Manual/wsx-records.md" suffix(, 0)
    }},
    {"wsx-relay.md", (const unsigned char[]){
#embed "Manual/wsx-relay.md" suffix(, 0)
    }},
    {"wsx-results.md", (const unsigned char[]){
#embed "Manual/wsx-results.md" suffix(, 0)
    }},
    {"wsx-scenarios.md", (const unsigned char[]){
#embed "Manual/wsx-scenarios.md" suffix(, 0)
    }},
    {"wsx-scripting.md", (const unsigned char[]){
#embed "Manual/wsx-scripting.md" suffix(, 0)
    }},
    {"wsx-templates.md", (const unsigned char[]){
#embed "Manual/wsx-templates.md" suffix(, 0)
    }},
    {"wsx.md", (const unsigned char[]){
#embed "Manual/wsx.md" suffix(, 0)
    }},
    {"chart.js", (const unsigned char[]){
#embed "Report/chart.js" suffix(, 0)
    }},
    {"report.css", (const unsigned char[]){
#embed "Report/report.css" suffix(, 0)
    }},
    {"report.html", (const unsigned char[]){
#embed "Report/report.html" suffix(, 0)
    }},
    {"report.js", (const unsigned char[]){
#embed "Report/report.js" suffix(, 0)
    }},
    {"seconds.js", (const unsigned char[]){
#embed "Report/seconds.js" suffix(, 0)
    }},
    {"words.js", (const unsigned char[]){
#embed "Report/words.js" suffix(, 0)
    }},
    {"automaton.js", (const unsigned char[]){
#embed "Session/automaton.js" suffix(, 0)
    }},
    {"changes.js", (const unsigned char[]){
#embed "Session/changes.js" suffix(, 0)
    }},
    {"connections.js", (const unsigned char[]){
#embed "Session/connections.js" suffix(, 0)
    }},
    {"copies.js", (const unsigned char[]){
#embed "Session/copies.js" suffix(, 0)
    }},
    {"embedded.js", (const unsigned char[]){
#embed "Session/embedded.js" suffix(, 0)
    }},
    {"events.js", (const unsigned char[]){
#embed "Session/events.js" suffix(, 0)
    }},
    {"facts.js", (const unsigned char[]){
#embed "Session/facts.js" suffix(, 0)
    }},
    {"feed.js", (const unsigned char[]){
#embed "Session/feed.js" suffix(, 0)
    }},
    {"handshake.js", (const unsigned char[]){
#embed "Session/handshake.js" suffix(, 0)
    }},
    {"held.js", (const unsigned char[]){
#embed "Session/held.js" suffix(, 0)
    }},
    {"list.js", (const unsigned char[]){
#embed "Session/list.js" suffix(, 0)
    }},
    {"live.js", (const unsigned char[]){
#embed "Session/live.js" suffix(, 0)
    }},
    {"message.js", (const unsigned char[]){
#embed "Session/message.js" suffix(, 0)
    }},
    {"relations.js", (const unsigned char[]){
#embed "Session/relations.js" suffix(, 0)
    }},
    {"search.js", (const unsigned char[]){
#embed "Session/search.js" suffix(, 0)
    }},
    {"sending.js", (const unsigned char[]){
#embed "Session/sending.js" suffix(, 0)
    }},
    {"session.css", (const unsigned char[]){
#embed "Session/session.css" suffix(, 0)
    }},
    {"session.html", (const unsigned char[]){
#embed "Session/session.html" suffix(, 0)
    }},
    {"session.js", (const unsigned char[]){
#embed "Session/session.js" suffix(, 0)
    }},
    {"timeline.js", (const unsigned char[]){
#embed "Session/timeline.js" suffix(, 0)
    }},
    {"base.css", (const unsigned char[]){
#embed "Shared/base.css" suffix(, 0)
    }},
    {"composer.js", (const unsigned char[]){
#embed "Shared/composer.js" suffix(, 0)
    }},
    {"controls.css", (const unsigned char[]){
#embed "Shared/controls.css" suffix(, 0)
    }},
    {"controls.js", (const unsigned char[]){
#embed "Shared/controls.js" suffix(, 0)
    }},
    {"elements.js", (const unsigned char[]){
#embed "Shared/elements.js" suffix(, 0)
    }},
    {"entries.js", (const unsigned char[]){
#embed "Shared/entries.js" suffix(, 0)
    }},
    {"filter.js", (const unsigned char[]){
#embed "Shared/filter.js" suffix(, 0)
    }},
    {"pieces.js", (const unsigned char[]){
#embed "Shared/pieces.js" suffix(, 0)
    }},
    {"text.js", (const unsigned char[]){
#embed "Shared/text.js" suffix(, 0)
    }},
    {"units.js", (const unsigned char[]){
#embed "Shared/units.js" suffix(, 0)
    }},
};

const char *wsx_page(const char *name) {
    for (size_t index = 0; index < sizeof files / sizeof files[0]; index++) {
        if (strcmp(files[index].name, name) == 0) return (const char *)files[index].text;
    }
    return NULL;
}

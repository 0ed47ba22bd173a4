# bash completion for wsx
# Made from the option table by "make generate"; changes here are lost.

# Offers the words, and the profiles and URLs that the program knows, as continuations of $full.
_wsx_urls() {
    local word cut=
    # Readline replaces only the part after the last character that ends a word.
    if [[ $full != "$current" || ($current == [:@] && $COMP_WORDBREAKS == *"$current"*) ]]; then
        cut=${full%"${full##*[:@=]}"}
        # With hostcomplete, which is the default, it replaces '@' as well.
        if shopt -q hostcomplete; then cut=${cut%@}; fi
    fi
    while read -r word; do
        if [[ $word == "$full"* ]]; then
            printf -v word %q "${word#"$cut"}"
            COMPREPLY+=("$word")
        fi
    done < <(
        "$1" completions "$2" 2>/dev/null
        shift 2
        printf '%s\n' "$@"
    )
}

_wsx() {
    local IFS=$'\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=
    local index=1 word operands=0 end=0 runs= counts=0 joins=
    # Colons and '@' end a word for bash. The whole word before the cursor:
    local full=${COMP_LINE:0:COMP_POINT}
    full=${full##*[[:space:]]}
    [[ $full == *"$current" ]] || full=$current
    COMPREPLY=()
    # '=' is a word of its own to bash.
    if [[ $current == '=' ]]; then
        current= previous+='='
    elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}'='
    fi
    if ((COMP_CWORD > 1)); then
        command=${COMP_WORDS[1]}
        if ((COMP_CWORD > 2)); then
            case "$command ${COMP_WORDS[2]}" in 'bench merge') command+=" ${COMP_WORDS[2]}" ;; esac
        fi
        # Without a command, a URL means connect.
        case "$command" in
            connect | listen | relay | bench | curl | check | convert | help | completions) index=2 ;;
            'bench merge') index=3 ;;
            *) command=connect ;;
        esac
    fi
    # Counts the operands before the current word. The value of an option is not one.
    for ((; index < COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if ((end)); then
            ((operands++))
            continue
        fi
        counts=0 joins=
        case "$word" in
            --)
                end=$index
                case "$command" in 'relay') runs=1 ;; esac
                ;;
            =) ((index++)); joins=1 ;;
            -?*)
                case "$command $word" in
                    'connect --exec' | 'listen --exec') runs=1 ;;
                    'connect -x' | 'connect --execute' | 'connect -f' | 'connect --file' | 'connect --define' | 'connect --eol' | 'connect --every' | 'connect --wrap' | 'connect --last-message' | 'connect --exec-grace' | 'connect --input' | 'connect --output' | 'connect --pick' | 'connect --format' | 'connect --replay-speed' | 'connect --protocol' | 'connect --param' | 'connect --decode' | 'connect --encode' | 'connect --linger' | 'connect -n' | 'connect --count' | 'connect --until' | 'connect --expect' | 'connect --timeout' | 'connect --correlate' | 'connect --reply-timeout' | 'connect --first-message' | 'connect --ready' | 'connect --answer' | 'connect --set' | 'connect --data' | 'connect --row' | 'connect --scenario' | 'connect --junit' | 'connect --connection' | 'connect --ignore' | 'connect --reconnect-on' | 'connect --reconnect-when' | 'connect --reconnect-delay' | 'connect --reconnect-url' | 'connect --heartbeat' | 'connect --heartbeat-misses' | 'connect --heartbeat-message' | 'connect --stale' | 'connect --close-code' | 'connect --close-reason' | 'connect -H' | 'connect --header' | 'connect -s' | 'connect --subprotocol' | 'connect -a' | 'connect --auth' | 'connect --bearer' | 'connect --aws-sigv4' | 'connect -b' | 'connect --cookie' | 'connect -o' | 'connect --origin' | 'connect --host' | 'connect --user-agent' | 'connect --max-redirects' | 'connect --resolve' | 'connect --source-ip' | 'connect --unix-socket' | 'connect --connect-timeout' | 'connect --proxy' | 'connect --no-proxy' | 'connect --ca' | 'connect --cert' | 'connect --key' | 'connect --passphrase' | 'connect --pin' | 'connect --tls-server-name' | 'connect --tls-min' | 'connect --compress-window-bits' | 'connect --close-timeout' | 'connect --max-message-size' | 'connect --max-fragments' | 'connect --fragment-size' | 'connect --cookie-jar' | 'connect --color' | 'connect --timestamps' | 'connect --record' | 'connect --hide' | 'connect --drop' | 'connect --paste' | 'connect --page' | 'connect --hold' | 'connect --history' | 'listen --path' | 'listen -s' | 'listen --subprotocol' | 'listen -H' | 'listen --header' | 'listen --handshake-timeout' | 'listen --max-processes' | 'listen --exec-grace' | 'listen --threads' | 'listen -o' | 'listen --origin' | 'listen -a' | 'listen --auth' | 'listen --bearer' | 'listen --max-connections' | 'listen --max-memory' | 'listen --idle-timeout' | 'listen --serve' | 'listen --first-message' | 'listen --answer' | 'listen --set' | 'listen --param' | 'listen --delay' | 'listen --drop-rate' | 'listen --seed' | 'listen --close-after' | 'listen --close-code' | 'listen --close-reason' | 'listen --reject' | 'listen --throttle' | 'listen --replay' | 'listen --scenario' | 'listen --connection' | 'listen --ignore' | 'listen --input' | 'listen --output' | 'listen --pick' | 'listen --format' | 'listen --replay-speed' | 'listen --decode' | 'listen --encode' | 'listen --heartbeat' | 'listen --heartbeat-misses' | 'listen --tls-cert' | 'listen --tls-key' | 'listen --passphrase' | 'listen --client-ca' | 'listen --compress-window-bits' | 'listen --close-timeout' | 'listen --max-message-size' | 'listen --max-fragments' | 'listen --fragment-size' | 'listen --color' | 'listen --timestamps' | 'listen --record' | 'listen --hide' | 'listen --drop' | 'listen --paste' | 'listen --page' | 'listen --hold' | 'relay --handshake-timeout' | 'relay --intercept' | 'relay --proxy-login' | 'relay --proxy-ca' | 'relay -o' | 'relay --origin' | 'relay --max-connections' | 'relay --max-memory' | 'relay --answer' | 'relay --set' | 'relay --param' | 'relay --rewrite' | 'relay --rewrite-from' | 'relay --delay' | 'relay --drop-rate' | 'relay --seed' | 'relay --close-after' | 'relay --reject' | 'relay --throttle' | 'relay --fault-from' | 'relay --output' | 'relay --decode' | 'relay --encode' | 'relay -H' | 'relay --header' | 'relay -a' | 'relay --auth' | 'relay --bearer' | 'relay --aws-sigv4' | 'relay --host' | 'relay --user-agent' | 'relay --resolve' | 'relay --source-ip' | 'relay --unix-socket' | 'relay --connect-timeout' | 'relay --proxy' | 'relay --no-proxy' | 'relay --ca' | 'relay --cert' | 'relay --key' | 'relay --passphrase' | 'relay --pin' | 'relay --tls-server-name' | 'relay --tls-min' | 'relay --tls-cert' | 'relay --tls-key' | 'relay --client-ca' | 'relay --compress-window-bits' | 'relay --close-timeout' | 'relay --max-message-size' | 'relay --max-fragments' | 'relay --fragment-size' | 'relay --color' | 'relay --timestamps' | 'relay --record' | 'relay --hide' | 'relay --drop' | 'relay --paste' | 'relay --page' | 'relay --hold' | 'bench --mode' | 'bench -c' | 'bench --connections' | 'bench --streams' | 'bench --connect-rate' | 'bench --connect-retry' | 'bench -t' | 'bench --threads' | 'bench -d' | 'bench --duration' | 'bench -n' | 'bench --messages' | 'bench -r' | 'bench --rate' | 'bench --arrival' | 'bench --stages' | 'bench --ramp' | 'bench --start-at' | 'bench --warmup' | 'bench --in-flight' | 'bench --think' | 'bench --lifetime' | 'bench --drain' | 'bench --reply-timeout' | 'bench --publishers' | 'bench --heartbeat' | 'bench --heartbeat-message' | 'bench --find-rate' | 'bench -m' | 'bench --message' | 'bench -f' | 'bench --file' | 'bench --size' | 'bench --protocol' | 'bench --param' | 'bench --decode' | 'bench --encode' | 'bench --correlate' | 'bench --expect' | 'bench --reply-end' | 'bench --latency-from' | 'bench --first-message' | 'bench --ready' | 'bench --answer' | 'bench --data' | 'bench --scenario' | 'bench --ignore' | 'bench --timeout' | 'bench --close-code' | 'bench --close-reason' | 'bench -H' | 'bench --header' | 'bench -s' | 'bench --subprotocol' | 'bench -a' | 'bench --auth' | 'bench --bearer' | 'bench --aws-sigv4' | 'bench -b' | 'bench --cookie' | 'bench -o' | 'bench --origin' | 'bench --host' | 'bench --user-agent' | 'bench --max-redirects' | 'bench --resolve' | 'bench --source-ip' | 'bench --unix-socket' | 'bench --connect-timeout' | 'bench --proxy' | 'bench --no-proxy' | 'bench --ca' | 'bench --cert' | 'bench --key' | 'bench --passphrase' | 'bench --pin' | 'bench --tls-server-name' | 'bench --tls-min' | 'bench --compress-window-bits' | 'bench --close-timeout' | 'bench --max-message-size' | 'bench --max-fragments' | 'bench --fragment-size' | 'bench --output' | 'bench --threshold' | 'bench --baseline' | 'bench --title' | 'bench --label' | 'bench --hdr' | 'bench --report' | 'bench --junit' | 'bench --summary' | 'bench --samples' | 'bench --abort' | 'bench --metrics' | 'bench --color' | 'bench merge --output' | 'bench merge --threshold' | 'bench merge --baseline' | 'bench merge --title' | 'bench merge --label' | 'bench merge --hdr' | 'bench merge --report' | 'bench merge --junit' | 'bench merge --summary' | 'bench merge --color' | 'check --case' | 'check --exclude' | 'check --case-file' | 'check --explain' | 'check --listen' | 'check --spec' | 'check -c' | 'check --parallel' | 'check --case-timeout' | 'check --timeout' | 'check --expect' | 'check --agent' | 'check --junit' | 'check --autobahn' | 'check --report' | 'check --results' | 'check --first-message' | 'check --ready' | 'check -H' | 'check --header' | 'check -s' | 'check --subprotocol' | 'check -a' | 'check --auth' | 'check --bearer' | 'check -b' | 'check --cookie' | 'check -o' | 'check --origin' | 'check --host' | 'check --user-agent' | 'check --resolve' | 'check --unix-socket' | 'check --connect-timeout' | 'check --proxy' | 'check --no-proxy' | 'check --ca' | 'check --cert' | 'check --key' | 'check --passphrase' | 'check --pin' | 'check --tls-server-name' | 'check --tls-min' | 'check --tls-cert' | 'check --tls-key' | 'check --color' | 'convert --connection' | 'convert --color')
                        [[ ${COMP_WORDS[index+1]} == '=' ]] || ((index++))
                        joins=1
                        ;;
                esac
                ;;
            [:@]) ((operands++, index++)); counts=1 joins=1 ;;
            *) ((operands++)); counts=1 joins=1 ;;
        esac
        while [[ $joins && ${COMP_WORDS[index+1]} == : ]] && ((index + 1 < COMP_CWORD)); do
            ((index += 2))
        done
    done
    if [[ $full != "$current" && $full != -* ]]; then
        # The beginning of the current word was counted, or is the value of an option.
        ((counts)) || return
        ((operands--))
    fi
    if ((end)) && [[ $runs ]]; then
        # bash-completion knows what the program takes.
        if declare -F _command_offset >/dev/null; then
            IFS=$' \t\n'
            _command_offset $((end + 1))
        elif ((COMP_CWORD == end + 1)) && [[ $current != */* ]]; then
            COMPREPLY=($(compgen -c -- "$current"))
        else
            compopt -o filenames 2>/dev/null
            COMPREPLY=($(compgen -f -- "$current"))
        fi
        return
    fi
    if ((!end)); then
        case "$command $previous" in
            'connect -f' | 'connect --file' | 'connect --file=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --eol' | 'connect --eol=')
                COMPREPLY=($(compgen -W $'crlf\nlf' -- "$current"))
                return
                ;;
            'connect --input' | 'connect --input=')
                COMPREPLY=($(compgen -W $'lines\nnul\nmessage\nchunks\nhex\nbase64\njson' -- "$current"))
                return
                ;;
            'connect --output' | 'connect --output=')
                COMPREPLY=($(compgen -W $'text\nraw\nnul\nhex\nbase64\njson' -- "$current"))
                return
                ;;
            'connect --protocol' | 'connect --protocol=')
                COMPREPLY=($(compgen -W $'socket.io\ngraphql\nphoenix\nsignalr\nstomp\nmqtt\nactioncable\njson-rpc\ndevtools\nauto' -- "$current"))
                return
                ;;
            'connect --decode' | 'connect --decode=')
                COMPREPLY=($(compgen -W $'auto\nmsgpack\ncbor\njson\nzlib-stream\ngzip\ndeflate\ntext\nlines\nsplit:TEXT\narray\nlength:TYPE\nskip:N\nprotobuf\nprotobuf:SCHEMA\nexec:PROGRAM' -- "$current"))
                return
                ;;
            'connect --encode' | 'connect --encode=')
                COMPREPLY=($(compgen -W $'msgpack\ncbor\nsplit:TEXT\nlength:TYPE\nexec:PROGRAM' -- "$current"))
                return
                ;;
            'connect --json-rpc=')
                COMPREPLY=($(compgen -W $'auto\n2.0\ndevtools\nbidi' -- "$current"))
                return
                ;;
            'connect --data' | 'connect --data=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --scenario' | 'connect --scenario=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --junit' | 'connect --junit=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect -b' | 'connect --cookie' | 'connect --cookie=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --unix-socket' | 'connect --unix-socket=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --ca' | 'connect --ca=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --cert' | 'connect --cert=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --key' | 'connect --key=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --tls-min' | 'connect --tls-min=')
                COMPREPLY=($(compgen -W $'1.2\n1.3' -- "$current"))
                return
                ;;
            'connect --compress=')
                COMPREPLY=($(compgen -W $'on\noff' -- "$current"))
                return
                ;;
            'connect --cookie-jar' | 'connect --cookie-jar=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --color' | 'connect --color=')
                COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$current"))
                return
                ;;
            'connect --timestamps' | 'connect --timestamps=')
                COMPREPLY=($(compgen -W $'local\nutc\nrelative\noff' -- "$current"))
                return
                ;;
            'connect --record' | 'connect --record=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect --paste' | 'connect --paste=')
                COMPREPLY=($(compgen -W $'ask\nlines\none' -- "$current"))
                return
                ;;
            'connect --history' | 'connect --history=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'connect -x' | 'connect --execute' | 'connect --execute=' | 'connect --define' | 'connect --define=' | 'connect --every' | 'connect --every=' | 'connect --wrap' | 'connect --wrap=' | 'connect --last-message' | 'connect --last-message=' | 'connect --exec-grace' | 'connect --exec-grace=' | 'connect --pick' | 'connect --pick=' | 'connect --format' | 'connect --format=' | 'connect --diff=' | 'connect --replay-speed' | 'connect --replay-speed=' | 'connect --param' | 'connect --param=' | 'connect --linger' | 'connect --linger=' | 'connect -n' | 'connect --count' | 'connect --count=' | 'connect --until' | 'connect --until=' | 'connect --expect' | 'connect --expect=' | 'connect --timeout' | 'connect --timeout=' | 'connect --correlate' | 'connect --correlate=' | 'connect --reply-timeout' | 'connect --reply-timeout=' | 'connect --first-message' | 'connect --first-message=' | 'connect --ready' | 'connect --ready=' | 'connect --answer' | 'connect --answer=' | 'connect --set' | 'connect --set=' | 'connect --row' | 'connect --row=' | 'connect --connection' | 'connect --connection=' | 'connect --ignore' | 'connect --ignore=' | 'connect --reconnect=' | 'connect --reconnect-on' | 'connect --reconnect-on=' | 'connect --reconnect-when' | 'connect --reconnect-when=' | 'connect --reconnect-delay' | 'connect --reconnect-delay=' | 'connect --reconnect-url' | 'connect --reconnect-url=' | 'connect --heartbeat' | 'connect --heartbeat=' | 'connect --heartbeat-misses' | 'connect --heartbeat-misses=' | 'connect --heartbeat-message' | 'connect --heartbeat-message=' | 'connect --stale' | 'connect --stale=' | 'connect --close-code' | 'connect --close-code=' | 'connect --close-reason' | 'connect --close-reason=' | 'connect -H' | 'connect --header' | 'connect --header=' | 'connect -s' | 'connect --subprotocol' | 'connect --subprotocol=' | 'connect -a' | 'connect --auth' | 'connect --auth=' | 'connect --bearer' | 'connect --bearer=' | 'connect --aws-sigv4' | 'connect --aws-sigv4=' | 'connect -o' | 'connect --origin' | 'connect --origin=' | 'connect --host' | 'connect --host=' | 'connect --user-agent' | 'connect --user-agent=' | 'connect --max-redirects' | 'connect --max-redirects=' | 'connect --resolve' | 'connect --resolve=' | 'connect --source-ip' | 'connect --source-ip=' | 'connect --connect-timeout' | 'connect --connect-timeout=' | 'connect --proxy' | 'connect --proxy=' | 'connect --no-proxy' | 'connect --no-proxy=' | 'connect --passphrase' | 'connect --passphrase=' | 'connect --pin' | 'connect --pin=' | 'connect --tls-server-name' | 'connect --tls-server-name=' | 'connect --compress-window-bits' | 'connect --compress-window-bits=' | 'connect --close-timeout' | 'connect --close-timeout=' | 'connect --max-message-size' | 'connect --max-message-size=' | 'connect --max-fragments' | 'connect --max-fragments=' | 'connect --fragment-size' | 'connect --fragment-size=' | 'connect --hide' | 'connect --hide=' | 'connect --drop' | 'connect --drop=' | 'connect --page' | 'connect --page=' | 'connect --hold' | 'connect --hold=')
                return
                ;;
            'listen --broadcast=')
                COMPREPLY=($(compgen -W $'all\npath' -- "$current"))
                return
                ;;
            'listen --serve' | 'listen --serve=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -d -- "$current"))
                return
                ;;
            'listen --replay' | 'listen --replay=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'listen --scenario' | 'listen --scenario=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'listen --input' | 'listen --input=')
                COMPREPLY=($(compgen -W $'lines\nnul\nmessage\nchunks\nhex\nbase64\njson' -- "$current"))
                return
                ;;
            'listen --output' | 'listen --output=')
                COMPREPLY=($(compgen -W $'text\nraw\nnul\nhex\nbase64\njson' -- "$current"))
                return
                ;;
            'listen --decode' | 'listen --decode=')
                COMPREPLY=($(compgen -W $'auto\nmsgpack\ncbor\njson\nzlib-stream\ngzip\ndeflate\ntext\nlines\nsplit:TEXT\narray\nlength:TYPE\nskip:N\nprotobuf\nprotobuf:SCHEMA' -- "$current"))
                return
                ;;
            'listen --encode' | 'listen --encode=')
                COMPREPLY=($(compgen -W $'msgpack\ncbor\nsplit:TEXT\nlength:TYPE' -- "$current"))
                return
                ;;
            'listen --tls-cert' | 'listen --tls-cert=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'listen --tls-key' | 'listen --tls-key=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'listen --client-ca' | 'listen --client-ca=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'listen --compress=')
                COMPREPLY=($(compgen -W $'on\noff' -- "$current"))
                return
                ;;
            'listen --color' | 'listen --color=')
                COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$current"))
                return
                ;;
            'listen --timestamps' | 'listen --timestamps=')
                COMPREPLY=($(compgen -W $'local\nutc\nrelative\noff' -- "$current"))
                return
                ;;
            'listen --record' | 'listen --record=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'listen --paste' | 'listen --paste=')
                COMPREPLY=($(compgen -W $'ask\nlines\none' -- "$current"))
                return
                ;;
            'listen --path' | 'listen --path=' | 'listen -s' | 'listen --subprotocol' | 'listen --subprotocol=' | 'listen -H' | 'listen --header' | 'listen --header=' | 'listen --handshake-timeout' | 'listen --handshake-timeout=' | 'listen --max-processes' | 'listen --max-processes=' | 'listen --exec-grace' | 'listen --exec-grace=' | 'listen --threads' | 'listen --threads=' | 'listen -o' | 'listen --origin' | 'listen --origin=' | 'listen -a' | 'listen --auth' | 'listen --auth=' | 'listen --bearer' | 'listen --bearer=' | 'listen --max-connections' | 'listen --max-connections=' | 'listen --max-memory' | 'listen --max-memory=' | 'listen --idle-timeout' | 'listen --idle-timeout=' | 'listen --first-message' | 'listen --first-message=' | 'listen --answer' | 'listen --answer=' | 'listen --set' | 'listen --set=' | 'listen --param' | 'listen --param=' | 'listen --delay' | 'listen --delay=' | 'listen --drop-rate' | 'listen --drop-rate=' | 'listen --seed' | 'listen --seed=' | 'listen --close-after' | 'listen --close-after=' | 'listen --close-code' | 'listen --close-code=' | 'listen --close-reason' | 'listen --close-reason=' | 'listen --reject' | 'listen --reject=' | 'listen --throttle' | 'listen --throttle=' | 'listen --connection' | 'listen --connection=' | 'listen --ignore' | 'listen --ignore=' | 'listen --pick' | 'listen --pick=' | 'listen --format' | 'listen --format=' | 'listen --diff=' | 'listen --replay-speed' | 'listen --replay-speed=' | 'listen --heartbeat' | 'listen --heartbeat=' | 'listen --heartbeat-misses' | 'listen --heartbeat-misses=' | 'listen --passphrase' | 'listen --passphrase=' | 'listen --compress-window-bits' | 'listen --compress-window-bits=' | 'listen --close-timeout' | 'listen --close-timeout=' | 'listen --max-message-size' | 'listen --max-message-size=' | 'listen --max-fragments' | 'listen --max-fragments=' | 'listen --fragment-size' | 'listen --fragment-size=' | 'listen --hide' | 'listen --hide=' | 'listen --drop' | 'listen --drop=' | 'listen --page' | 'listen --page=' | 'listen --hold' | 'listen --hold=')
                return
                ;;
            'relay --proxy-ca' | 'relay --proxy-ca=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -d -- "$current"))
                return
                ;;
            'relay --rewrite-from' | 'relay --rewrite-from=')
                COMPREPLY=($(compgen -W $'client\nserver' -- "$current"))
                return
                ;;
            'relay --fault-from' | 'relay --fault-from=')
                COMPREPLY=($(compgen -W $'client\nserver' -- "$current"))
                return
                ;;
            'relay --output' | 'relay --output=')
                COMPREPLY=($(compgen -W $'text\nraw\nnul\nhex\nbase64\njson' -- "$current"))
                return
                ;;
            'relay --decode' | 'relay --decode=')
                COMPREPLY=($(compgen -W $'auto\nmsgpack\ncbor\njson\nzlib-stream\ngzip\ndeflate\ntext\nlines\nsplit:TEXT\narray\nlength:TYPE\nskip:N\nprotobuf\nprotobuf:SCHEMA' -- "$current"))
                return
                ;;
            'relay --encode' | 'relay --encode=')
                COMPREPLY=($(compgen -W $'msgpack\ncbor\nsplit:TEXT\nlength:TYPE' -- "$current"))
                return
                ;;
            'relay --unix-socket' | 'relay --unix-socket=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --ca' | 'relay --ca=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --cert' | 'relay --cert=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --key' | 'relay --key=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --tls-min' | 'relay --tls-min=')
                COMPREPLY=($(compgen -W $'1.2\n1.3' -- "$current"))
                return
                ;;
            'relay --tls-cert' | 'relay --tls-cert=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --tls-key' | 'relay --tls-key=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --client-ca' | 'relay --client-ca=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --compress=')
                COMPREPLY=($(compgen -W $'on\noff' -- "$current"))
                return
                ;;
            'relay --color' | 'relay --color=')
                COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$current"))
                return
                ;;
            'relay --timestamps' | 'relay --timestamps=')
                COMPREPLY=($(compgen -W $'local\nutc\nrelative\noff' -- "$current"))
                return
                ;;
            'relay --record' | 'relay --record=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'relay --paste' | 'relay --paste=')
                COMPREPLY=($(compgen -W $'ask\nlines\none' -- "$current"))
                return
                ;;
            'relay --handshake-timeout' | 'relay --handshake-timeout=' | 'relay --intercept' | 'relay --intercept=' | 'relay --proxy-login' | 'relay --proxy-login=' | 'relay --via=' | 'relay -o' | 'relay --origin' | 'relay --origin=' | 'relay --max-connections' | 'relay --max-connections=' | 'relay --max-memory' | 'relay --max-memory=' | 'relay --answer' | 'relay --answer=' | 'relay --set' | 'relay --set=' | 'relay --param' | 'relay --param=' | 'relay --rewrite' | 'relay --rewrite=' | 'relay --delay' | 'relay --delay=' | 'relay --drop-rate' | 'relay --drop-rate=' | 'relay --seed' | 'relay --seed=' | 'relay --close-after' | 'relay --close-after=' | 'relay --reject' | 'relay --reject=' | 'relay --throttle' | 'relay --throttle=' | 'relay -H' | 'relay --header' | 'relay --header=' | 'relay -a' | 'relay --auth' | 'relay --auth=' | 'relay --bearer' | 'relay --bearer=' | 'relay --aws-sigv4' | 'relay --aws-sigv4=' | 'relay --host' | 'relay --host=' | 'relay --user-agent' | 'relay --user-agent=' | 'relay --resolve' | 'relay --resolve=' | 'relay --source-ip' | 'relay --source-ip=' | 'relay --connect-timeout' | 'relay --connect-timeout=' | 'relay --proxy' | 'relay --proxy=' | 'relay --no-proxy' | 'relay --no-proxy=' | 'relay --passphrase' | 'relay --passphrase=' | 'relay --pin' | 'relay --pin=' | 'relay --tls-server-name' | 'relay --tls-server-name=' | 'relay --compress-window-bits' | 'relay --compress-window-bits=' | 'relay --close-timeout' | 'relay --close-timeout=' | 'relay --max-message-size' | 'relay --max-message-size=' | 'relay --max-fragments' | 'relay --max-fragments=' | 'relay --fragment-size' | 'relay --fragment-size=' | 'relay --hide' | 'relay --hide=' | 'relay --drop' | 'relay --drop=' | 'relay --page' | 'relay --page=' | 'relay --hold' | 'relay --hold=')
                return
                ;;
            'bench --mode' | 'bench --mode=')
                COMPREPLY=($(compgen -W $'echo\nrequest\nscenario\nsend\nreceive\nconnect\nbroadcast\nidle' -- "$current"))
                return
                ;;
            'bench --arrival' | 'bench --arrival=')
                COMPREPLY=($(compgen -W $'constant\npoisson' -- "$current"))
                return
                ;;
            'bench -f' | 'bench --file' | 'bench --file=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --protocol' | 'bench --protocol=')
                COMPREPLY=($(compgen -W $'socket.io\ngraphql\nphoenix\nsignalr\nstomp\nmqtt\nactioncable\njson-rpc\ndevtools\nauto' -- "$current"))
                return
                ;;
            'bench --decode' | 'bench --decode=')
                COMPREPLY=($(compgen -W $'auto\nmsgpack\ncbor\njson\nzlib-stream\ngzip\ndeflate\ntext\nlines\nsplit:TEXT\narray\nlength:TYPE\nskip:N\nprotobuf\nprotobuf:SCHEMA' -- "$current"))
                return
                ;;
            'bench --encode' | 'bench --encode=')
                COMPREPLY=($(compgen -W $'msgpack\ncbor\nsplit:TEXT\nlength:TYPE' -- "$current"))
                return
                ;;
            'bench --data' | 'bench --data=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --scenario' | 'bench --scenario=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench -b' | 'bench --cookie' | 'bench --cookie=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --unix-socket' | 'bench --unix-socket=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --ca' | 'bench --ca=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --cert' | 'bench --cert=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --key' | 'bench --key=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --tls-min' | 'bench --tls-min=')
                COMPREPLY=($(compgen -W $'1.2\n1.3' -- "$current"))
                return
                ;;
            'bench --compress=')
                COMPREPLY=($(compgen -W $'on\noff' -- "$current"))
                return
                ;;
            'bench --output' | 'bench --output=')
                COMPREPLY=($(compgen -W $'text\njson\njsonl' -- "$current"))
                return
                ;;
            'bench --baseline' | 'bench --baseline=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --hdr' | 'bench --hdr=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --report' | 'bench --report=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --junit' | 'bench --junit=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --summary' | 'bench --summary=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --samples' | 'bench --samples=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench --color' | 'bench --color=')
                COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$current"))
                return
                ;;
            'bench -c' | 'bench --connections' | 'bench --connections=' | 'bench --streams' | 'bench --streams=' | 'bench --connect-rate' | 'bench --connect-rate=' | 'bench --connect-retry' | 'bench --connect-retry=' | 'bench -t' | 'bench --threads' | 'bench --threads=' | 'bench -d' | 'bench --duration' | 'bench --duration=' | 'bench -n' | 'bench --messages' | 'bench --messages=' | 'bench -r' | 'bench --rate' | 'bench --rate=' | 'bench --stages' | 'bench --stages=' | 'bench --ramp' | 'bench --ramp=' | 'bench --start-at' | 'bench --start-at=' | 'bench --warmup' | 'bench --warmup=' | 'bench --in-flight' | 'bench --in-flight=' | 'bench --think' | 'bench --think=' | 'bench --lifetime' | 'bench --lifetime=' | 'bench --drain' | 'bench --drain=' | 'bench --reply-timeout' | 'bench --reply-timeout=' | 'bench --publishers' | 'bench --publishers=' | 'bench --heartbeat' | 'bench --heartbeat=' | 'bench --heartbeat-message' | 'bench --heartbeat-message=' | 'bench --find-rate' | 'bench --find-rate=' | 'bench -m' | 'bench --message' | 'bench --message=' | 'bench --size' | 'bench --size=' | 'bench --param' | 'bench --param=' | 'bench --correlate' | 'bench --correlate=' | 'bench --expect' | 'bench --expect=' | 'bench --reply-end' | 'bench --reply-end=' | 'bench --latency-from' | 'bench --latency-from=' | 'bench --first-message' | 'bench --first-message=' | 'bench --ready' | 'bench --ready=' | 'bench --answer' | 'bench --answer=' | 'bench --ignore' | 'bench --ignore=' | 'bench --timeout' | 'bench --timeout=' | 'bench --close-code' | 'bench --close-code=' | 'bench --close-reason' | 'bench --close-reason=' | 'bench -H' | 'bench --header' | 'bench --header=' | 'bench -s' | 'bench --subprotocol' | 'bench --subprotocol=' | 'bench -a' | 'bench --auth' | 'bench --auth=' | 'bench --bearer' | 'bench --bearer=' | 'bench --aws-sigv4' | 'bench --aws-sigv4=' | 'bench -o' | 'bench --origin' | 'bench --origin=' | 'bench --host' | 'bench --host=' | 'bench --user-agent' | 'bench --user-agent=' | 'bench --max-redirects' | 'bench --max-redirects=' | 'bench --resolve' | 'bench --resolve=' | 'bench --source-ip' | 'bench --source-ip=' | 'bench --connect-timeout' | 'bench --connect-timeout=' | 'bench --proxy' | 'bench --proxy=' | 'bench --no-proxy' | 'bench --no-proxy=' | 'bench --passphrase' | 'bench --passphrase=' | 'bench --pin' | 'bench --pin=' | 'bench --tls-server-name' | 'bench --tls-server-name=' | 'bench --compress-window-bits' | 'bench --compress-window-bits=' | 'bench --close-timeout' | 'bench --close-timeout=' | 'bench --max-message-size' | 'bench --max-message-size=' | 'bench --max-fragments' | 'bench --max-fragments=' | 'bench --fragment-size' | 'bench --fragment-size=' | 'bench --threshold' | 'bench --threshold=' | 'bench --title' | 'bench --title=' | 'bench --label' | 'bench --label=' | 'bench --abort' | 'bench --abort=' | 'bench --metrics' | 'bench --metrics=')
                return
                ;;
            'bench merge --output' | 'bench merge --output=')
                COMPREPLY=($(compgen -W $'text\njson\njsonl' -- "$current"))
                return
                ;;
            'bench merge --baseline' | 'bench merge --baseline=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench merge --hdr' | 'bench merge --hdr=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench merge --report' | 'bench merge --report=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench merge --junit' | 'bench merge --junit=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench merge --summary' | 'bench merge --summary=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'bench merge --color' | 'bench merge --color=')
                COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$current"))
                return
                ;;
            'bench merge --threshold' | 'bench merge --threshold=' | 'bench merge --title' | 'bench merge --title=' | 'bench merge --label' | 'bench merge --label=')
                return
                ;;
            'check --case-file' | 'check --case-file=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --spec' | 'check --spec=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --expect' | 'check --expect=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --junit' | 'check --junit=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --autobahn' | 'check --autobahn=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -d -- "$current"))
                return
                ;;
            'check --report' | 'check --report=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --results' | 'check --results=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check -b' | 'check --cookie' | 'check --cookie=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --unix-socket' | 'check --unix-socket=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --ca' | 'check --ca=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --cert' | 'check --cert=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --key' | 'check --key=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --tls-min' | 'check --tls-min=')
                COMPREPLY=($(compgen -W $'1.2\n1.3' -- "$current"))
                return
                ;;
            'check --tls-cert' | 'check --tls-cert=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --tls-key' | 'check --tls-key=')
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
                return
                ;;
            'check --color' | 'check --color=')
                COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$current"))
                return
                ;;
            'check --case' | 'check --case=' | 'check --exclude' | 'check --exclude=' | 'check --explain' | 'check --explain=' | 'check --listen' | 'check --listen=' | 'check -c' | 'check --parallel' | 'check --parallel=' | 'check --case-timeout' | 'check --case-timeout=' | 'check --timeout' | 'check --timeout=' | 'check --agent' | 'check --agent=' | 'check --first-message' | 'check --first-message=' | 'check --ready' | 'check --ready=' | 'check -H' | 'check --header' | 'check --header=' | 'check -s' | 'check --subprotocol' | 'check --subprotocol=' | 'check -a' | 'check --auth' | 'check --auth=' | 'check --bearer' | 'check --bearer=' | 'check -o' | 'check --origin' | 'check --origin=' | 'check --host' | 'check --host=' | 'check --user-agent' | 'check --user-agent=' | 'check --resolve' | 'check --resolve=' | 'check --connect-timeout' | 'check --connect-timeout=' | 'check --proxy' | 'check --proxy=' | 'check --no-proxy' | 'check --no-proxy=' | 'check --passphrase' | 'check --passphrase=' | 'check --pin' | 'check --pin=' | 'check --tls-server-name' | 'check --tls-server-name=')
                return
                ;;
            'convert --color' | 'convert --color=')
                COMPREPLY=($(compgen -W $'auto\nalways\nnever' -- "$current"))
                return
                ;;
            'convert --connection' | 'convert --connection=')
                return
                ;;
        esac
    fi
    case "$command" in
        "")
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'-V\n--version\n-x\n--execute\n-f\n--file\n--define\n--eol\n-i\n--interactive\n--every\n--wrap\n--last-message\n--exec\n--exec-grace\n--exec-json\n--no-stdin\n--text\n--binary\n--input\n--crlf\n--output\n--pick\n--format\n--diff\n--replay-speed\n--protocol\n--param\n--decode\n--encode\n--linger\n-n\n--count\n-1\n--one\n--until\n--expect\n--timeout\n--request\n--correlate\n--json-rpc\n--fail\n--reply-timeout\n--first-message\n--ready\n--answer\n--set\n--template\n--data\n--row\n--scenario\n--junit\n--connection\n--ignore\n--reconnect\n--reconnect-on\n--reconnect-when\n--reconnect-delay\n--reconnect-url\n--heartbeat\n--heartbeat-misses\n--heartbeat-message\n--stale\n--close-code\n--close-reason\n-H\n--header\n-s\n--subprotocol\n-a\n--auth\n--bearer\n--digest\n--anyauth\n--aws-sigv4\n--netrc\n-b\n--cookie\n-o\n--origin\n--host\n--user-agent\n-L\n--location\n--location-trusted\n--max-redirects\n-4\n--ipv4\n-6\n--ipv6\n--resolve\n--source-ip\n--unix-socket\n--connect-timeout\n--proxy\n--proxy-digest\n--proxy-anyauth\n--no-proxy\n--ca\n--cert\n--key\n--passphrase\n-k\n--insecure\n--pin\n--tls-server-name\n--tls-min\n--compress\n--compress-window-bits\n--compress-no-context\n--close-timeout\n--max-message-size\n--max-fragments\n--fragment-size\n--cookie-jar\n--http2\n--print-curl\n--show-secrets\n-v\n--verbose\n-q\n--quiet\n--color\n--plain\n--timestamps\n--record\n--hide\n--drop\n--pretty\n--no-pretty\n--paste\n--page\n--hold\n--history\n--no-history\n-h\n--help' -- "$current"))
            elif ((operands == 0)); then
                COMPREPLY=($(compgen -W $'connect\nlisten\nrelay\nbench\ncurl\ncheck\nconvert\nhelp\ncompletions' -- "$current"))
                _wsx_urls "${1:-wsx}" targets echo: ws:// wss://
            fi
            ;;
        connect)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'-x\n--execute\n-f\n--file\n--define\n--eol\n-i\n--interactive\n--every\n--wrap\n--last-message\n--exec\n--exec-grace\n--exec-json\n--no-stdin\n--text\n--binary\n--input\n--crlf\n--output\n--pick\n--format\n--diff\n--replay-speed\n--protocol\n--param\n--decode\n--encode\n--linger\n-n\n--count\n-1\n--one\n--until\n--expect\n--timeout\n--request\n--correlate\n--json-rpc\n--fail\n--reply-timeout\n--first-message\n--ready\n--answer\n--set\n--template\n--data\n--row\n--scenario\n--junit\n--connection\n--ignore\n--reconnect\n--reconnect-on\n--reconnect-when\n--reconnect-delay\n--reconnect-url\n--heartbeat\n--heartbeat-misses\n--heartbeat-message\n--stale\n--close-code\n--close-reason\n-H\n--header\n-s\n--subprotocol\n-a\n--auth\n--bearer\n--digest\n--anyauth\n--aws-sigv4\n--netrc\n-b\n--cookie\n-o\n--origin\n--host\n--user-agent\n-L\n--location\n--location-trusted\n--max-redirects\n-4\n--ipv4\n-6\n--ipv6\n--resolve\n--source-ip\n--unix-socket\n--connect-timeout\n--proxy\n--proxy-digest\n--proxy-anyauth\n--no-proxy\n--ca\n--cert\n--key\n--passphrase\n-k\n--insecure\n--pin\n--tls-server-name\n--tls-min\n--compress\n--compress-window-bits\n--compress-no-context\n--close-timeout\n--max-message-size\n--max-fragments\n--fragment-size\n--cookie-jar\n--http2\n--print-curl\n--show-secrets\n-v\n--verbose\n-q\n--quiet\n--color\n--plain\n--timestamps\n--record\n--hide\n--drop\n--pretty\n--no-pretty\n--paste\n--page\n--hold\n--history\n--no-history\n-h\n--help' -- "$current"))
            elif ((operands == 0)); then
                _wsx_urls "${1:-wsx}" targets echo: ws:// wss://
            fi
            ;;
        listen)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'--echo\n--broadcast\n--path\n-s\n--subprotocol\n-H\n--header\n--handshake-timeout\n--exec\n--max-processes\n--exec-grace\n--exec-json\n--threads\n--once\n--http2\n-o\n--origin\n-a\n--auth\n--bearer\n--max-connections\n--max-memory\n--idle-timeout\n--serve\n--console\n--post\n--first-message\n--answer\n--set\n--param\n--delay\n--drop-rate\n--seed\n--close-after\n--close-code\n--close-reason\n--reject\n--no-pong\n--throttle\n--replay\n--scenario\n--connection\n--ignore\n--no-stdin\n--text\n--binary\n--input\n--crlf\n--output\n--pick\n--format\n--diff\n--replay-speed\n--decode\n--encode\n--heartbeat\n--heartbeat-misses\n--tls-cert\n--tls-key\n--passphrase\n--tls-self-signed\n--client-ca\n--compress\n--compress-window-bits\n--compress-no-context\n--close-timeout\n--max-message-size\n--max-fragments\n--fragment-size\n-v\n--verbose\n-q\n--quiet\n--color\n--plain\n--timestamps\n--record\n--hide\n--drop\n--pretty\n--no-pretty\n--paste\n--page\n--hold\n-h\n--help' -- "$current"))
            fi
            ;;
        relay)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'--handshake-timeout\n--once\n--http2\n--intercept\n--proxy-login\n--proxy-ca\n--http\n--via\n-o\n--origin\n--max-connections\n--max-memory\n--answer\n--set\n--param\n--rewrite\n--rewrite-from\n--delay\n--drop-rate\n--seed\n--close-after\n--reject\n--throttle\n--fault-from\n--no-stdin\n--output\n--decode\n--encode\n-H\n--header\n-a\n--auth\n--bearer\n--digest\n--anyauth\n--aws-sigv4\n--netrc\n--host\n--user-agent\n-4\n--ipv4\n-6\n--ipv6\n--resolve\n--source-ip\n--unix-socket\n--connect-timeout\n--proxy\n--proxy-digest\n--proxy-anyauth\n--no-proxy\n--ca\n--cert\n--key\n--passphrase\n-k\n--insecure\n--pin\n--tls-server-name\n--tls-min\n--tls-cert\n--tls-key\n--tls-self-signed\n--client-ca\n--compress\n--compress-window-bits\n--compress-no-context\n--close-timeout\n--max-message-size\n--max-fragments\n--fragment-size\n-v\n--verbose\n-q\n--quiet\n--color\n--plain\n--timestamps\n--record\n--hide\n--drop\n--pretty\n--no-pretty\n--paste\n--page\n--hold\n--print-ca\n-h\n--help' -- "$current"))
            elif ((operands == 1)); then
                _wsx_urls "${1:-wsx}" targets ws:// wss://
            fi
            ;;
        bench)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'--mode\n-c\n--connections\n--streams\n--connect-rate\n--connect-retry\n-t\n--threads\n-d\n--duration\n-n\n--messages\n-r\n--rate\n--arrival\n--stages\n--ramp\n--start-at\n--warmup\n--in-flight\n--think\n--lifetime\n--drain\n--reply-timeout\n--publishers\n--heartbeat\n--heartbeat-message\n--tls-resume\n--find-rate\n-m\n--message\n-f\n--file\n--size\n--binary\n--protocol\n--param\n--decode\n--encode\n--correlate\n--expect\n--reply-end\n--latency-from\n--first-message\n--ready\n--answer\n--data\n--scenario\n--ignore\n--timeout\n--close-code\n--close-reason\n-H\n--header\n-s\n--subprotocol\n-a\n--auth\n--bearer\n--digest\n--anyauth\n--aws-sigv4\n--netrc\n-b\n--cookie\n-o\n--origin\n--host\n--user-agent\n-L\n--location\n--location-trusted\n--max-redirects\n-4\n--ipv4\n-6\n--ipv6\n--resolve\n--source-ip\n--unix-socket\n--connect-timeout\n--proxy\n--proxy-digest\n--proxy-anyauth\n--no-proxy\n--ca\n--cert\n--key\n--passphrase\n-k\n--insecure\n--pin\n--tls-server-name\n--tls-min\n--compress\n--compress-window-bits\n--compress-no-context\n--close-timeout\n--max-message-size\n--max-fragments\n--fragment-size\n--http2\n--output\n--threshold\n--accept-inconclusive\n--baseline\n--title\n--label\n--hdr\n--report\n--junit\n--summary\n--samples\n--abort\n--metrics\n-q\n--quiet\n--color\n--plain\n-h\n--help' -- "$current"))
            elif ((operands == 0)); then
                COMPREPLY=($(compgen -W $'merge' -- "$current"))
                _wsx_urls "${1:-wsx}" targets echo: ws:// wss://
            fi
            ;;
        'bench merge')
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'--output\n--threshold\n--accept-inconclusive\n--baseline\n--title\n--label\n--hdr\n--report\n--junit\n--summary\n-q\n--quiet\n--color\n--plain\n-h\n--help' -- "$current"))
            else
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
            fi
            ;;
        curl)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'-h\n--help' -- "$current"))
            fi
            ;;
        check)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'--case\n--exclude\n--case-file\n--list\n--explain\n--listen\n--spec\n--once\n-c\n--parallel\n--case-timeout\n--timeout\n--expect\n--agent\n--json\n--junit\n--autobahn\n--report\n--results\n--first-message\n--ready\n-H\n--header\n-s\n--subprotocol\n-a\n--auth\n--bearer\n-b\n--cookie\n-o\n--origin\n--host\n--user-agent\n-4\n--ipv4\n-6\n--ipv6\n--resolve\n--unix-socket\n--connect-timeout\n--proxy\n--proxy-digest\n--proxy-anyauth\n--no-proxy\n--http2\n--ca\n--cert\n--key\n--passphrase\n-k\n--insecure\n--pin\n--tls-server-name\n--tls-min\n--tls-cert\n--tls-key\n--tls-self-signed\n-q\n--quiet\n--color\n--plain\n-h\n--help' -- "$current"))
            elif ((operands == 0)); then
                _wsx_urls "${1:-wsx}" targets echo: ws:// wss://
            fi
            ;;
        convert)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'--connection\n--list\n-q\n--quiet\n--color\n-h\n--help' -- "$current"))
            elif ((operands == 0)); then
                compopt -o filenames 2>/dev/null
                COMPREPLY=($(compgen -f -- "$current"))
            fi
            ;;
        help)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'-h\n--help' -- "$current"))
            else
                COMPREPLY=($(compgen -W $'connect\nlisten\nrelay\nbench\ncurl\ncheck\nconvert\ncompletions\nprofiles\nvalues\nsecrets\ncurl-commands\nexit-status\nenvironment\nfiles\nhow-a-run-ends\nexit-status\nposts\naccess\nlog\nsocket-activation\nexit-status\nhttp-proxy\nthe-authority\ncommands\nlive-page\nexit-status\nmodes\npace\nstages\nrate-search\nexit-status\nexit-status\nverdicts\nclients\ncase-files\nresults\nexit-status\nhar-files\nsession-pages\nexit-status\nurls\ninteractive-use\nformats\npaths\nchanges\njson-events\nrecordings\nrecords\ncodecs\nprotocol\nscenarios\ntesting-clients\nconditions\nrequests-and-replies\nstaying-connected\npace-of-the-input\nprograms\nplaceholders\nresults\nsamples\nthresholds\nbaselines\njson-results\nmetrics\nprotocol-errors\ntls-errors\nlimits\n/send\n/ping\n/pong\n/binary\n/file\n/send-json\n/call\n/set\n/repeat\n/show\n/pipe\n/inspect\n/tail\n/find\n/filter\n/where\n/pick\n/hide\n/pause\n/save\n/pretty\n/decode\n/diff\n/time\n/pings\n/status\n/close\n/reconnect\n/retry\n/drop\n/connect\n/record\n/clients\n/only\n/to\n/headers\n/curl\n/info\n/edit\n/history\n/help\n/quit' -- "$current"))
            fi
            ;;
        completions)
            if [[ $current == -* ]] && ((!end)); then
                COMPREPLY=($(compgen -W $'-h\n--help' -- "$current"))
            elif ((operands == 0)); then
                COMPREPLY=($(compgen -W $'bash\nzsh\nfish' -- "$current"))
            fi
            ;;
    esac
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -F _wsx wsx

#!/usr/bin/env bash
# usage: hosts.sh DIRECTORY HOST...
# Runs in a mount and a network namespace of its own, which it makes a router: each HOST is a network namespace behind
# it, with an address, 10.66.N.2, and sshd. 10.66.N.1 is here. Then writes its process identifier, as it is outside.
set -euo pipefail
directory=$1
shift

# For what sshd and ip keep there.
mount -t tmpfs tmpfs /run
mkdir /run/sshd
# sshd lets nobody in whose account is locked, or of whom it may not know.
mount --bind "$directory/shadow" /etc/shadow
ip link set lo up
number=0
for host in "$@"; do
    number=$((number + 1))
    inside=(nsenter --net="/run/netns/$host")
    ip netns add "$host"
    ip link add "to-$host" type veth peer name eth0 netns "$host"
    ip address add "10.66.$number.1/24" dev "to-$host"
    ip link set "to-$host" up
    "${inside[@]}" ip link set lo up
    "${inside[@]}" ip address add "10.66.$number.2/24" dev eth0
    "${inside[@]}" ip link set eth0 up
    "${inside[@]}" ip route add default via "10.66.$number.1"
    "${inside[@]}" /usr/sbin/sshd -D -e -f "$directory/sshd_config" &
done
read -r pid _ < /proc/self/stat
echo "$pid"
wait

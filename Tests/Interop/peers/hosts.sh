#!/usr/bin/env bash
# usage: hosts.sh DIRECTORY HOST...
# Runs in its own mount and network namespaces, and acts as a router: each HOST is a network namespace behind it, with
# sshd and the address 10.66.N.2. The router's own address is 10.66.N.1. Prints its process identifier outside the
# namespace.
set -euo pipefail
directory=$1
shift

# A private /run for the files of sshd and ip.
mount -t tmpfs tmpfs /run
mkdir /run/sshd
# sshd rejects users with locked or unreadable accounts.
mount --bind "$directory/shadow" /etc/shadow
mount --bind "$directory/passwd" /etc/passwd
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

#!/bin/sh
# Makes a read-only root of this machine's /usr, the program and one volume, and starts the command in
# it as a container runtime would: as its first process, as a user without capabilities, with a
# network of its own. Called by `unshare --mount --pid --net --fork`.
# Arguments: an empty directory, the program's directory, the volume's, UID:GID, and the command.

set -e
# The tools of the system are not in the path of every user.
PATH=$PATH:/usr/sbin:/sbin
root=$1 program=$2 volume=$3 user=${4%:*} group=${4#*:}
shift 4
ip link set lo up
mount -t tmpfs tmpfs "$root"
mkdir -p "$root/usr" "$root/proc" "$root/dev" "$root/etc" "$root/opt/edge-control" \
  "$root/var/lib/edge-control"
for link in bin sbin lib lib64; do ln -s "usr/$link" "$root/$link"; done
mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
mount --bind "$program" "$root/opt/edge-control"
mount -o remount,bind,ro "$root/opt/edge-control"
mount --bind "$volume" "$root/var/lib/edge-control"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -o remount,ro "$root"
cd /
exec chroot "$root" /usr/bin/setpriv --reuid="$user" --regid="$group" --clear-groups --no-new-privs \
  --inh-caps=-all --bounding-set=-all "$@"

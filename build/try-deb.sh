#!/bin/sh
# Tries the package for real: install, run, upgrade, remove, purge in a fresh Debian below DIR. Root, debootstrap; the
# network is used to make DIR alone. Usage: build/try-deb.sh dist/plantgate_VERSION_amd64.deb DIR [MIRROR]
set -eu
deb=$1
dir=$2
mirror=${3:-http://deb.debian.org/debian}

say() { printf '\n== %s\n' "$*"; }
expect() { if eval "$2"; then echo "ok: $1"; else echo "NOT OK: $1"; exit 1; fi; }
# A network of its own, with nothing but loopback.
inside() { unshare --net --mount --pid --fork sh -c "ip link set lo up; mount -t proc proc '$dir/proc'; exec chroot '$dir' sh -ec \"\$1\"" sh "$1"; }

[ -e "$dir/bin/sh" ] || debootstrap --variant=minbase --include=systemd,systemd-sysv,iproute2 bookworm "$dir" "$mirror"
cp "$deb" "$dir/srv/plantgate.deb"
# The same package as its next release.
rm -rf "$dir/srv/next"
dpkg-deb -R "$deb" "$dir/srv/next"
sed -i 's/^Version: .*/&+next/' "$dir/srv/next/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$dir/srv/next" "$dir/srv/next.deb" > /dev/null

say 'beside plantgate install'
mkdir -p "$dir/etc/systemd/system"
touch "$dir/etc/systemd/system/plantgate-apply.path"
expect 'the package is refused' "! inside 'dpkg -i /srv/plantgate.deb'"
rm "$dir/etc/systemd/system/plantgate-apply.path"
inside 'dpkg -P plantgate' || true

say install
inside 'dpkg -i /srv/plantgate.deb'
expect 'the user exists' "grep -q '^plantgate:' '$dir/etc/passwd'"
expect 'the configuration is closed to others' "[ \$(stat -c %a '$dir/etc/plantgate/plantgate.yaml') = 640 ]"
expect 'the service is enabled' "[ -L '$dir/etc/systemd/system/multi-user.target.wants/plantgate.service' ]"
inside 'plantgate --version; man -w plantgate 2> /dev/null || test -e /usr/share/man/man1/plantgate.1.gz || echo "manual pages are left out here"'

say run
inside '
install -d -m 0700 -o plantgate -g plantgate /var/lib/plantgate /var/cache/plantgate
export PKG_NATIVE_CACHE_PATH=/var/cache/plantgate HOME=/var/lib/plantgate
setpriv --reuid=plantgate --regid=plantgate --init-groups plantgate run > /tmp/log 2>&1 &
gateway=$!
for second in 1 2 3 4 5 6 7 8 9 10; do grep -q "\"msg\":\"ready\"" /tmp/log && break; sleep 1; done
plantgate doctor || { cat /tmp/log; exit 1; }
kill $gateway
wait $gateway'

say upgrade
echo '# mine' >> "$dir/etc/plantgate/plantgate.yaml"
inside 'dpkg -i /srv/next.deb'
expect 'the configuration is kept' "grep -q '^# mine' '$dir/etc/plantgate/plantgate.yaml'"
expect 'the data is kept' "[ -s '$dir/var/lib/plantgate/plantgate.db' ]"

say remove
inside 'dpkg -r plantgate'
expect 'the program is gone' "[ ! -e '$dir/usr/bin/plantgate' ]"
expect 'data and configuration are kept' "[ -s '$dir/var/lib/plantgate/plantgate.db' ] && [ -e '$dir/etc/plantgate/plantgate.yaml' ]"

say 'install again without the configuration, as an administrator left it'
rm -r "$dir/etc/plantgate"
inside 'dpkg -i /srv/plantgate.deb'
expect 'the configuration is there again' "[ -s '$dir/etc/plantgate/plantgate.yaml' ]"
expect 'the package is configured' "inside 'dpkg -s plantgate' | grep -q '^Status: install ok installed'"
echo 'gatewayId: mine' > "$dir/etc/plantgate/plantgate.yaml"

say 'purge after plantgate install'
inside 'dpkg -r plantgate'
touch "$dir/etc/systemd/system/plantgate-apply.path"
inside 'dpkg -P plantgate'
expect 'data and configuration are kept' "[ -s '$dir/var/lib/plantgate/plantgate.db' ] && [ -e '$dir/etc/plantgate/plantgate.yaml' ]"
rm "$dir/etc/systemd/system/plantgate-apply.path"

say purge
inside 'dpkg -i /srv/plantgate.deb; dpkg -P plantgate'
expect 'nothing is left' "[ -z \"\$(find '$dir/etc' '$dir/var/lib' '$dir/var/cache' '$dir/usr' -name '*plantgate*' -not -path '*/dpkg/*')\" ]"
expect 'the user is gone' "! grep -q '^plantgate:' '$dir/etc/passwd'"
say 'all is as it should be'

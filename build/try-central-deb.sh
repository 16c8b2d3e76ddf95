#!/bin/sh
# Tries the package of the central server for real, as build/try-deb.sh does that of the gateway: alone, beside the gateway's
# package, upgrade, remove, purge. Usage: build/try-central-deb.sh CENTRAL_DEB GATEWAY_DEB DIR [MIRROR]
set -eu
deb=$1
gateway=$2
dir=$3
mirror=${4:-http://deb.debian.org/debian}

say() { printf '\n== %s\n' "$*"; }
expect() { if eval "$2"; then echo "ok: $1"; else echo "NOT OK: $1"; exit 1; fi; }
# A network of its own, with nothing but loopback.
inside() { unshare --net --mount --pid --fork sh -c "ip link set lo up; mount -t proc proc '$dir/proc'; exec chroot '$dir' sh -ec \"\$1\"" sh "$1"; }

[ -e "$dir/bin/sh" ] || debootstrap --variant=minbase --include=systemd,systemd-sysv,iproute2 bookworm "$dir" "$mirror"
cp "$deb" "$dir/srv/central.deb"
cp "$gateway" "$dir/srv/gateway.deb"
# The same package as its next release.
rm -rf "$dir/srv/next"
dpkg-deb -R "$deb" "$dir/srv/next"
sed -i 's/^Version: .*/&+next/' "$dir/srv/next/DEBIAN/control"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$dir/srv/next" "$dir/srv/next.deb" > /dev/null
inside 'dpkg -P plantgate plantgate-central' || true

say 'install, without the package of the gateway'
inside 'dpkg -i /srv/central.deb'
expect 'the user exists' "grep -q '^plantgate-central:' '$dir/etc/passwd'"
expect 'the configuration is closed to others' "[ \$(stat -c %a '$dir/etc/plantgate-central/plantgate.yaml') = 640 ]"
expect 'the service is enabled' "[ -L '$dir/etc/systemd/system/multi-user.target.wants/plantgate-central.service' ]"
expect 'nothing has the place of a gateway' "[ ! -e '$dir/usr/bin/plantgate' ] && [ ! -e '$dir/etc/plantgate' ]"
inside 'plantgate-central --version; plantgate-central check; ! plantgate-central update /srv/x 2> /dev/null'

say 'run, beside the package of the gateway'
inside 'dpkg -i /srv/gateway.deb'
echo 'http: { port: 8090 }' >> "$dir/etc/plantgate-central/plantgate.yaml"
inside '
for name in plantgate plantgate-central; do install -d -m 0700 -o $name -g $name /var/lib/$name /var/cache/$name; done
start() {
  name=$1
  shift
  env PKG_NATIVE_CACHE_PATH=/var/cache/$name HOME=/var/lib/$name setpriv --reuid=$name --regid=$name --init-groups "$@" > /tmp/$name 2>&1 &
  for second in 1 2 3 4 5 6 7 8 9 10; do grep -q "\"msg\":\"ready\"" /tmp/$name && return; sleep 1; done
  cat /tmp/$name
  exit 1
}
start plantgate plantgate run
gateway=$!
start plantgate-central $(sed -n "s/^ExecStart=//p" /usr/lib/systemd/system/plantgate-central.service)
central=$!
plantgate doctor
plantgate-central doctor
plantgate-central key create --principal line-3 --role gateway > /dev/null
plantgate-central fleet create North
! plantgate fleet show North 2> /dev/null
if ! plantgate-central central 2> /tmp/refused; then grep "belongs to the service" /tmp/refused; else exit 1; fi
kill $gateway $central
wait $central'

say upgrade
echo '# mine' >> "$dir/etc/plantgate-central/plantgate.yaml"
inside 'dpkg -i /srv/next.deb'
expect 'the configuration is kept' "grep -q '^# mine' '$dir/etc/plantgate-central/plantgate.yaml'"
expect 'the data is kept' "[ -s '$dir/var/lib/plantgate-central/plantgate.db' ]"

say 'remove and purge; the gateway stays'
inside 'dpkg -r plantgate-central'
expect 'the program is gone' "[ ! -e '$dir/usr/lib/plantgate-central' ]"
expect 'data and configuration are kept' "[ -s '$dir/var/lib/plantgate-central/plantgate.db' ] && [ -e '$dir/etc/plantgate-central/plantgate.yaml' ]"
inside 'dpkg -P plantgate-central'
expect 'nothing of the central server is left' "[ -z \"\$(find '$dir/etc' '$dir/var/lib' '$dir/var/cache' '$dir/usr' -name '*plantgate-central*' -not -path '*/dpkg/*')\" ]"
expect 'its user is gone' "! grep -q '^plantgate-central:' '$dir/etc/passwd'"
expect 'the gateway has all of its own' "[ -s '$dir/var/lib/plantgate/plantgate.db' ] && [ -e '$dir/etc/plantgate/plantgate.yaml' ] && grep -q '^plantgate:' '$dir/etc/passwd'"

say 'purge of the gateway; the central server stays'
inside 'dpkg -i /srv/central.deb; dpkg -P plantgate'
expect 'the central server has all of its own' "[ -x '$dir/usr/bin/plantgate-central' ] && [ -e '$dir/etc/plantgate-central/plantgate.yaml' ] && grep -q '^plantgate-central:' '$dir/etc/passwd'"
inside 'dpkg -P plantgate-central'
say 'all is as it should be'

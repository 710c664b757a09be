# A machine with systemd, on which the package is installed as deploy/gatefold.service says.
FROM packed
RUN apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    systemd libnss-systemd dbus >/dev/null \
  && systemctl mask systemd-udevd.service systemd-resolved.service getty.target console-getty.service
RUN mkdir -p /opt/gatefold && tar xzf /packed/gatefold-*.tgz --directory /opt/gatefold --strip-components 1 \
  && (cd /opt/gatefold && npm ci --omit=dev --ignore-scripts) \
  && cp /opt/gatefold/deploy/gatefold.service /opt/gatefold/deploy/gatefold-backup.* /etc/systemd/system/ \
  && rm -rf /source
# The example of the unit file for secrets.
RUN mkdir -p /etc/gatefold /etc/systemd/system/gatefold.service.d /etc/systemd/system/gatefold-backup.service.d \
  && (umask 077; echo 0123456789abcdef0123456789abcdef0123456789 >/etc/gatefold/secret-key) \
  && printf '%s\n' '[Service]' LoadCredential=secret-key:/etc/gatefold/secret-key Environment=GATEFOLD_SECRET_KEY_FILE=%d/secret-key \
    >/etc/systemd/system/gatefold.service.d/override.conf \
  && cp /etc/systemd/system/gatefold.service.d/override.conf /etc/systemd/system/gatefold-backup.service.d/
STOPSIGNAL SIGRTMIN+3
# systemd mounts credentials from a process of its own; Docker's mounts are private.
CMD ["sh", "-c", "mount --make-rshared / && exec /lib/systemd/systemd"]

# Stands in for postgres:18, with the server of the lock file and Debian's pg_isready.
FROM stand-in-debian
RUN apt-get update -qq \
  && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql-client >/dev/null \
  && groupadd --system --gid 999 postgres && useradd --system --uid 999 --gid postgres postgres \
  && install -d -o postgres -g postgres /var/lib/postgresql /var/run/postgresql
COPY server/ /opt/server/
COPY postgres-start.sh /usr/local/bin/start
ENV PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
CMD ["bash", "/usr/local/bin/start"]

# Stands in for node:24-bookworm-slim.
FROM stand-in-debian
COPY node /usr/local/bin/node
COPY npm/ /usr/local/lib/node_modules/npm/
COPY certificates.crt /usr/local/share/stand-in/certificates.crt
# Registries are asked through the certificates of the machine.
ENV NODE_EXTRA_CA_CERTS=/usr/local/share/stand-in/certificates.crt
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid node --shell /bin/bash --create-home node
CMD ["node"]

# syntax=docker/dockerfile:1
# The image holds the package that "npm run package" makes, with the packages of its lock file.
FROM node:24-bookworm-slim AS pack
WORKDIR /source
COPY . .
RUN npm ci && mkdir /packed && npm run --silent package -- /packed

FROM node:24-bookworm-slim AS install
WORKDIR /opt/gatefold
COPY --from=pack /packed/ /packed/
# The image has a Node.js of its own, so that of the lock file is not needed.
RUN tar xzf /packed/gatefold-*.tgz --strip-components 1 \
  && npm ci --omit=dev --ignore-scripts \
  && rm -rf node_modules/node-linux-* \
  && node bin/gatefold.mjs --version

FROM node:24-bookworm-slim
LABEL org.opencontainers.image.title="Gatefold" \
      org.opencontainers.image.description="Self-hosted feed reader service and external-app gateway" \
      org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production \
    GATEFOLD_HOST=0.0.0.0 \
    GATEFOLD_DATA_DIR=/data \
    GATEFOLD_LOG_FORMAT=json
COPY --from=install /opt/gatefold/ /opt/gatefold/
# "docker exec CONTAINER gatefold …" runs commands.
RUN ln -s /opt/gatefold/bin/gatefold.mjs /usr/local/bin/gatefold \
  && install -d -o node -g node -m 700 /data
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.GATEFOLD_PORT||8080)+'/health/ready').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
CMD ["gatefold", "serve"]

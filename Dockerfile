# One controller. Its state is in the volume; nothing else of the container is written to.
#   docker build --tag edge-control .
#   docker run --detach --name edge-control --read-only --cap-drop ALL --stop-timeout 60 \
#     --publish 1280:1280 --publish 6262:6262 --volume edge-control:/var/lib/edge-control \
#     --env EDGE_ADVERTISE=controller.example:1280 edge-control
# docs/installation.md says more.

FROM node:22-bookworm-slim AS build
WORKDIR /opt/edge-control
COPY package.json package-lock.json ./
COPY bin/ bin/
COPY .ci/ .ci/
COPY machines/ machines/
COPY snapshots/ snapshots/
COPY src/ src/
# Installs what the lock names, by its hashes, and builds dist/.
RUN npm ci --omit=dev

# The Node release that everything runs on is a package of the lock, so this image needs none.
FROM debian:bookworm-slim
RUN groupadd --gid 10001 edge-control \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/edge-control \
        --shell /usr/sbin/nologin edge-control \
    && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/edge-control
WORKDIR /opt/edge-control
COPY LICENSE package.json ./
COPY bin/ bin/
COPY --from=build /opt/edge-control/node_modules/ node_modules/
COPY --from=build /opt/edge-control/dist/ dist/
ENV PATH=/opt/edge-control/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# Commands such as `docker exec edge-control edge-control check` find the home, too.
ENV EDGE_HOME=/var/lib/edge-control/home
ENV EDGE_LISTEN=0.0.0.0:1280
ENV EDGE_METRICS_LISTEN=127.0.0.1:9464
VOLUME ["/var/lib/edge-control"]
EXPOSE 1280 6262
# By number, so that Kubernetes can tell that this is not root.
USER 10001:10001
# The metrics listener also answers while the home is recovered. It needs no certificate.
HEALTHCHECK --interval=15s --timeout=5s --start-period=5m --retries=3 \
    CMD ["/opt/edge-control/node_modules/node/bin/node", "--eval", "fetch('http://127.0.0.1:9464/health-checks').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# It replaces itself by the controller, which so receives the signals.
ENTRYPOINT ["/opt/edge-control/bin/edge-control"]
CMD ["run"]

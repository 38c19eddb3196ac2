# The server as an image: `docker build -t ulmus .`. docs/install.md ("A container") says how to run it.
# deploy/image-test takes each of these steps on a bare Debian.

# Makes the package that is released, and installs it as anybody would.
FROM node:24-trixie-slim AS build
WORKDIR /source
COPY . .
# Commit and day for `--version`, since the build has no .git: --build-arg ULMUS_BUILD="$(git log -1 --format='%h %cs' --abbrev=8)"
ARG ULMUS_BUILD
RUN npm ci --ignore-scripts && npm run release
# The image has a Node; of the optional packages it needs DuckDB, for questions about records.
RUN npm install --prefix /opt/ulmus --ignore-scripts ./dist/ulmus-server-*.tgz && \
    rm -rf /opt/ulmus/node_modules/node-linux-* /opt/ulmus/node_modules/.bin/node

FROM node:24-trixie-slim
# An account of its own. The number is for whoever mounts a folder, which must belong to it: chown 10001:10001.
RUN groupadd --gid 10001 ulmus && \
    useradd --uid 10001 --gid ulmus --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin ulmus && \
    install --directory --mode=700 --owner=ulmus --group=ulmus /data /var/cache/ulmus
# It belongs to root: the server only reads it.
COPY --from=build /opt/ulmus /opt/ulmus
ENV PATH=/opt/ulmus/node_modules/.bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
# Reached from outside, so it refuses to start without OIDC_ISSUER.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data NODE_COMPILE_CACHE=/var/cache/ulmus
USER ulmus
VOLUME /data
EXPOSE 4000
# It listens once its migrations are done. A database that is away makes nobody kill it: /readyz tells of that.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# It becomes the server, as the first process, and ends in order on SIGTERM: nothing need stand before it.
ENTRYPOINT ["ulmus-server"]
CMD ["start"]

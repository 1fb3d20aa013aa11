# Two stages: the first builds with the development packages, the second runs without them and not as root. Images are named
# by their full version; for a build that can be repeated to the byte add their digests.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY bin bin
COPY migrations migrations
COPY src src
COPY console console
# Guides of the page /docs.
COPY docs docs
RUN node scripts/build.mjs && npm prune --omit=dev --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini ca-certificates \
  && rm -rf /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log /var/cache/ldconfig/aux-cache \
  && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn* /usr/local/bin/yarn*
WORKDIR /app
# In MiB: half of the memory that docker-compose.yml gives a container. Bodies and answers under way are bounded by the heap's
# limit, and lie beside the heap. Where a container has more memory, set NODE_OPTIONS to half of that.
ENV NODE_OPTIONS=--max-old-space-size=768
# As bin/tollgate.mjs has it.
ENV MALLOC_ARENA_MAX=2
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 TOLLGATE_WORKER_PORT=8081 TOLLGATE_DATA_DIR=/data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/migrations migrations
COPY --from=build /app/scripts scripts
COPY --from=build /app/bin bin
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 8081
# Asks /readyz of the API or the worker, whichever runs here.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "scripts/healthy.mjs"]
ENTRYPOINT ["tini", "--", "node", "--min-semi-space-size=16", "--max-semi-space-size=16", "bin/tollgate.mjs"]
CMD ["api"]

# Built with everything, run with what the service itself needs: no compiler, no command lines, no embedded PostgreSQL.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY prisma.config.ts tsconfig.json tsconfig.build.json ./
COPY prisma prisma
COPY server server
COPY client client
RUN npm run build \
  && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production \
  NODE_OPTIONS=--enable-source-maps \
  HOST=0.0.0.0 \
  PORT=3000 \
  METRICS_PORT=9464 \
  SHUTDOWN_DELAY_SECONDS=5
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The service applies these when it starts.
COPY --from=build /app/prisma/migrations prisma/migrations
USER node
EXPOSE 3000
# Whether it can be sent requests, by bash alone: a Node each second would cost more than the service does at rest. Stop it with
# 45 seconds of grace: the delay above, 25 for requests under way, and some to close connections.
HEALTHCHECK --interval=1s --timeout=4s --retries=2 --start-period=60s \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$METRICS_PORT && printf 'GET /health/readiness HTTP/1.0\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ \"$status\" = 200 ]"]
CMD ["node", "dist/server/main.js"]

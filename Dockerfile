# Built with everything, run with what the service itself needs: no compiler, no command lines, no embedded PostgreSQL.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY prisma.config.ts tsconfig.json tsconfig.build.json ./
COPY prisma prisma
COPY server server
RUN npm run build \
  && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-slim
ENV NODE_ENV=production \
  NODE_OPTIONS=--enable-source-maps \
  HOST=0.0.0.0 \
  PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# The service applies these when it starts.
COPY --from=build /app/prisma/migrations prisma/migrations
USER node
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/liveness').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server/main.js"]

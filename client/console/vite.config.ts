import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** Where `npm run dev` has the service; Vite forwards what the console asks of it. */
const service = process.env.CONSOLE_SERVICE ?? 'http://127.0.0.1:3000'

/** Paths of the service that the console asks, and pages that it links to. */
const FORWARDED = ['/api', '/trpc', '/health', '/.well-known', '/pages', '/receive', '/present', '/console/login']

export default defineConfig(({ command }) => {
  // What is built is the same bytes whatever the environment of the build says.
  if (command === 'build') process.env.NODE_ENV = 'production'
  return {
    root: here('.'),
    // The service may be served below a path: files name each other relatively, and index.html is completed when it is sent.
    base: command === 'build' ? './' : '/console/',
    publicDir: false,
    build: {
      outDir: here('../../dist/console'),
      emptyOutDir: true,
      target: 'es2023',
      // A data: address of a script or font is not in the policy.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        // "use client" in packages is for frameworks that render on servers.
        onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
      },
    },
    server: {
      host: '127.0.0.1',
      port: 5173,
      strictPort: false,
      proxy: Object.fromEntries(FORWARDED.map((path) => [path, { target: service, changeOrigin: false }])),
    },
  }
})

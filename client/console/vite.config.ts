import { fileURLToPath } from 'node:url'
import { defineConfig, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The address of the service under `npm run dev`. Vite forwards calls to it. */
const service = process.env.CONSOLE_SERVICE ?? 'http://127.0.0.1:3000'

/**
 * The paths that `npm run dev` forwards to the service, as regular expressions for Vite: all paths outside `/console`, and the paths
 * below `/console` that the service answers itself. Vite serves the rest, which is the console.
 */
const FORWARDED = ['^/(?!console(?:[/?]|$))', '^/console/(?:session|login|callback|logout)(?:[/?]|$)']

const CONSOLE = 'console'

const JSX = ['jsx-runtime', 'jsx-dev-runtime']

type Modules = Parameters<Rolldown.CodeSplittingNameFunction>[1]

/** A module and all its static imports. */
function withImports(id: string, modules: Modules, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) withImports(imported, modules, found)
  return found
}

/**
 * Bundles the console and its first screen into one file instead of a dozen shared files, because each file costs the
 * browser some milliseconds. `main.ts` loads this file. `main.ts` is a separate file, so that it runs first.
 */
function namesOfFiles(): Rolldown.CodeSplittingNameFunction {
  let first: ReadonlySet<string> | undefined
  let all: ReadonlySet<string> | undefined
  return (id, modules) => {
    first ??= withImports(here('main.ts'), modules)
    all ??= withImports(here('start.tsx'), modules)
    return first.has(id) ? 'first' : all.has(id) ? CONSOLE : null
  }
}

/** The page preloads the console's main file, so that it loads at the same time as `main.ts`. */
const preloadConsole: Plugin = {
  name: 'preload-console',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk')
        .filter((file) => file.name === CONSOLE)
        .flatMap((chunk) => [chunk.fileName, ...chunk.imports])
        .filter((fileName) => !html.includes(fileName))
        .map(
          (fileName): HtmlTagDescriptor => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `./${fileName}` },
            injectTo: 'head',
          }),
        ),
  },
}

export default defineConfig(({ command }) => {
  // The build gives the same bytes in every environment.
  if (command === 'build') process.env.NODE_ENV = 'production'
  return {
    root: here('.'),
    // The service may be served below a path. So the files contain relative addresses of each other, and the service
    // completes index.html when it sends it.
    base: command === 'build' ? './' : '/console/',
    publicDir: false,
    // The compiler writes these names for JSX (tsconfig.json).
    resolve: {
      alias: Object.fromEntries(JSX.map((name) => [`@credence/console/${name}`, here(`jsx/${name}.ts`)])),
    },
    plugins: [preloadConsole],
    build: {
      outDir: here('../../dist/console'),
      emptyOutDir: true,
      target: 'es2023',
      // The content security policy allows no data: address for scripts and fonts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          codeSplitting: {
            groups: [{ name: namesOfFiles(), debugName: CONSOLE }],
            includeDependenciesRecursively: false,
          },
        },
        // Ignores the warning about "use client": packages contain it for frameworks that render on servers.
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

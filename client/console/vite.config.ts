import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type HtmlTagDescriptor, type Plugin, type Rolldown } from 'vite'
import { CARD_STYLES } from '../../server/protocol/credential-card/styles.js'

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

/** The style sheet of credential cards, which the pages for people contain too. The console imports it by this name. */
const CARD_SHEET = 'virtual:credential-card.css'

const cardSheet: Plugin = {
  name: 'card-sheet',
  resolveId: (id) => (id === CARD_SHEET ? `\0${CARD_SHEET}` : undefined),
  load: (id) => (id === `\0${CARD_SHEET}` ? CARD_STYLES : undefined),
}

type Modules = Parameters<Rolldown.CodeSplittingNameFunction>[1]

/** A module and all its static imports. */
function withImports(id: string, modules: Modules, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) withImports(imported, modules, found)
  return found
}

/** A file with texts that only some screens need. Its name must differ from the file with the texts of the shell. */
const OWN_TEXTS = /\/texts\/(type-editor|faces|trust-lists|registrations|signing-keys)\/([a-z]{2})\.ts$/

/**
 * Bundles the console and its first screen into one file, because each file costs the browser some milliseconds.
 * `main.ts` is a separate file, so that it runs first.
 */
function namesOfFiles(): Rolldown.CodeSplittingNameFunction {
  let first: ReadonlySet<string> | undefined
  let all: ReadonlySet<string> | undefined
  return (id, modules) => {
    first ??= withImports(here('main.ts'), modules)
    all ??= withImports(here('start.tsx'), modules)
    const [, part, language] = OWN_TEXTS.exec(id) ?? []
    if (part !== undefined) return `${part}-texts-${language}`
    return first.has(id) ? 'first' : all.has(id) ? CONSOLE : null
  }
}

/** The name of the font's part with Latin letters. Browsers load its other parts only for texts that contain their letters. */
const LATIN = /\/inter-latin-wght-normal-[\w-]+\.woff2$/

/** The page preloads the font, after the scripts. The bundle contains the licence of the font, as the licence demands. */
const fonts: Plugin = {
  name: 'fonts',
  apply: 'build',
  generateBundle() {
    const source = readFileSync(here('../../node_modules/@fontsource-variable/inter/LICENSE'), 'utf8')
    this.emitFile({ type: 'asset', fileName: 'assets/inter-licence.txt', source })
  },
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((fileName) => LATIN.test(fileName))
        .map(
          (fileName): HtmlTagDescriptor => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              crossorigin: true,
              fetchpriority: 'low',
              href: `./${fileName}`,
            },
            injectTo: 'head',
          }),
        ),
  },
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
    plugins: [cardSheet, preloadConsole, fonts],
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
      // The console imports code of the service and files of packages, such as the font.
      fs: { allow: [here('..'), here('../../server'), here('../../node_modules')] },
      proxy: Object.fromEntries(FORWARDED.map((path) => [path, { target: service, changeOrigin: false }])),
    },
  }
})

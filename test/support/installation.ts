import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { programOf } from '../../scripts/launch/run-program.js'
import { projectDirectory } from '../../server/database/migrations.js'

const project = projectDirectory()

/** The service as in the container image: the build, the migrations, and only the packages for production. */
export interface Installation {
  readonly directory: string
  remove(): Promise<void>
}

interface LockedPackage {
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

/** Returns the names of the packages that `npm ci --omit=dev --omit=optional` puts into node_modules. */
async function productionPackages(): Promise<string[]> {
  const { packages } = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'))
  return Object.entries<LockedPackage>(packages).flatMap(([path, { dev, optional, devOptional }]) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    return name === undefined || dev || optional || devOptional ? [] : [name]
  })
}

/** Compiles in one or two seconds, without type checks. `npm run typecheck` checks types. */
async function build(directory: string): Promise<void> {
  const config = join(project, 'tsconfig.build.json')
  const options = ['--noCheck', '--declaration', 'false', '--sourceMap', 'false', '--outDir', directory]
  await promisify(execFile)(process.execPath, [programOf('typescript', 'tsc'), '-p', config, ...options])
}

/** Creates an installation in its own folder; its packages are links to the packages of this project. */
export async function createInstallation(): Promise<Installation> {
  const directory = await mkdtemp(join(tmpdir(), 'credence-installation-'))
  const link = async (name: string) => {
    const path = join(directory, 'node_modules', name)
    await mkdir(dirname(path), { recursive: true })
    await symlink(join(project, 'node_modules', name), path)
  }
  await Promise.all([
    build(join(directory, 'dist')),
    productionPackages().then((names) => Promise.all(names.map(link))),
    cp(join(project, 'package.json'), join(directory, 'package.json')),
    cp(join(project, 'prisma/migrations'), join(directory, 'prisma/migrations'), { recursive: true }),
  ])
  return { directory, remove: () => rm(directory, { recursive: true, force: true }) }
}

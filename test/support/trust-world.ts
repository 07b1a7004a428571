import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environmentOf, PUBLISHED_FOLDER, writeWorld } from '../../scripts/trust-demo/folder.js'
import { publishFolder } from '../../scripts/trust-demo/publish.js'
import { makeTrustWorld, type TrustWorld } from '../../scripts/trust-demo/world.js'
import { closeServer, listenLocally } from './local-server.js'
import { type ServiceOptions, startService, type TestService } from './service.js'

/** A world of `npm run trust:demo` whose lists are published. */
export interface PublishedWorld extends TrustWorld, AsyncDisposable {
  readonly folder: string
  /** The address that the certificate of the issuer names. */
  readonly serviceUrl: string
  readonly listsUrl: string
  /** The variables of a service that has the certificates of the world. */
  readonly env: Readonly<Record<string, string>>
  /** Replaces a published file, such as `lists/wrprc.jwt`. */
  publish(file: string, content: string | Uint8Array): Promise<void>
  /** Writes a file beside the others. @returns its path */
  write(file: string, content: string): Promise<string>
}

/** Makes a world, and publishes its lists. @param serviceUrl the address that the certificate of the issuer names */
export async function publishWorld(serviceUrl: string): Promise<PublishedWorld> {
  const parent = await mkdtemp(join(tmpdir(), 'credence-trust-'))
  const folder = join(parent, 'world')
  const published = join(folder, PUBLISHED_FOLDER)
  const server = publishFolder(published)
  const listsUrl = await listenLocally(server)
  const world = await makeTrustWorld({ listsUrl, serviceUrl })
  await writeWorld(world, folder, { listsUrl })
  return {
    ...world,
    folder,
    serviceUrl,
    listsUrl,
    env: environmentOf(folder, listsUrl),
    publish: (file, content) => writeFile(join(published, file), content),
    async write(file, content) {
      const path = join(folder, file)
      await writeFile(path, content)
      return path
    },
    async [Symbol.asyncDispose]() {
      await closeServer(server)
      await rm(parent, { recursive: true })
    },
  }
}

/** A service in a world: it has the world's certificates and has read the world's lists. */
export interface ServiceInWorld extends AsyncDisposable {
  readonly service: TestService
  readonly world: PublishedWorld
}

/** Reads each list of a service from its address. */
export async function readLists(service: TestService): Promise<void> {
  for (const { id } of (await service.request('GET', '/api/v1/trust-lists', { client: true })).json.items) {
    const read = await service.request('POST', `/api/v1/trust-lists/${id}/refresh`, { client: true })
    if (read.json.list.state !== 'usable') throw new Error(read.text)
  }
}

/** Starts a service in a new world. @param more further variables, which may depend on the world */
export async function startInWorld(
  more: (
    world: PublishedWorld,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>> = () => ({}),
  options: Omit<ServiceOptions, 'env'> = {},
): Promise<ServiceInWorld> {
  let made: PublishedWorld | undefined
  try {
    const service = await startService({
      maintenance: false,
      ...options,
      env: async (url) => {
        made = await publishWorld(url)
        return { ...made.env, ...(await more(made)) }
      },
    })
    if (made === undefined) throw new Error('The world was not made.')
    const world = made
    await readLists(service)
    return {
      service,
      world,
      async [Symbol.asyncDispose]() {
        await service.close()
        await world[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    await made?.[Symbol.asyncDispose]()
    throw error
  }
}

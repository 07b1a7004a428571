import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicPem } from '../../certificates.js'
import type { Options } from '../options.js'
import { type Material, type Profile, settingsOf } from './material.js'
import { startService } from './service.js'

/** The services of a run: one for each profile. A service starts when a column needs it for the first time. */
export interface Installations {
  /** The address of the service; undefined if the running service has another profile. */
  addressFor(profile: Profile): Promise<string | undefined>
  end(): Promise<void>
}

const addressOf = ({ host, port }: Options, profile: Profile) =>
  `https://${host}:${port + (profile === 'haip' ? 1 : 0)}`

const settingsFor = (options: Options, material: Material, profile: Profile, url: string) =>
  settingsOf(material, profile, url, new URL(options.suiteUrl).host)

/**
 * @param suiteCa certification authorities for the suite's TLS certificate, as PEM
 * @param say receives each line for the terminal
 */
export function installations(
  options: Options,
  material: Material,
  suiteCa: readonly string[],
  say: (line: string) => void,
): Installations {
  const authorities = join(material.directory, 'tls-authorities.pem')
  writeFileSync(authorities, [...suiteCa, publicPem(material.serviceRoot)].join('\n'))
  const started = new Map<Profile, Promise<string>>()
  const ends: (() => Promise<void>)[] = []

  async function start(profile: Profile): Promise<string> {
    const url = addressOf(options, profile)
    const settings = settingsFor(options, material, profile, url)
    const logFile = join(options.out, `service-${profile}.log`)
    ends.push(
      await startService({ settings, port: Number(new URL(url).port), tlsPem: material.tlsPem, authorities, logFile }),
    )
    say(`The service answers at ${url} (ISSUER_PROFILE=${profile}).`)
    return url
  }

  return {
    addressFor: async (profile) => {
      if (options.service !== undefined) return options.profile === profile ? options.service : undefined
      const address = started.get(profile) ?? start(profile)
      started.set(profile, address)
      return address
    },
    end: async () => {
      await Promise.all(ends.map((end) => end()))
    },
  }
}

/** Writes the settings of a service that is started by hand, for `--service`: a file for each profile. @returns the files */
export function writeSettings(options: Options, material: Material): string[] {
  return (['final', 'haip'] as const).map((profile) => {
    const settings = settingsFor(options, material, profile, options.service ?? addressOf(options, profile))
    const file = join(options.out, `${profile}.env`)
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(file, lines.join(''))
    return file
  })
}

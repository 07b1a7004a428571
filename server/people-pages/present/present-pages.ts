import type { Config } from '../../config/config.js'
import type { Events } from '../../events/stream.js'
import type { Installation } from '../../formats/issuing.js'
import type { Formats } from '../../formats/registry.js'
import type { DigitalCredentialRequestOf } from '../../verifier/openid4vp/digital-credentials.js'
import type { SessionView } from '../../verifier/sessions/session.js'
import type { VerificationSessions } from '../../verifier/sessions/verification-sessions.js'
import type { PageStore } from '../store.js'
import { createWatchPage } from '../watch.js'
import { createComeBack } from './come-back.js'
import { createOpenPresentPage } from './page.js'
import { FINAL_STATES, type Progress, progressOf } from './sentences.js'
import { createShowPresentPage } from './show.js'

/** Dependencies of {@link createPresentPages}. */
export interface PresentPagesPorts {
  readonly store: Pick<PageStore, 'present' | 'returned' | 'presentTarget'>
  readonly config: Installation & Pick<Config, 'verifierBaseUrl'>
  readonly formats: Pick<Formats, 'named'>
  readonly clock: () => Date
  readonly random: (length: number) => Uint8Array
  readonly events: Pick<Events, 'stream'>
  readonly latest: VerificationSessions['latest']
  readonly digitalCredentialRequest: DigitalCredentialRequestOf
}

export type PresentPages = ReturnType<typeof createPresentPages>

/** Share pages of authorization requests. */
export function createPresentPages({
  store,
  config,
  formats,
  clock,
  random,
  events,
  latest,
  digitalCredentialRequest,
}: PresentPagesPorts) {
  const openPage = createOpenPresentPage({ formats, config, clock, digitalCredentialRequest })
  return {
    show: createShowPresentPage({ store, config, clock, random, openPage }),

    comeBack: createComeBack({ store, config }),

    watch: createWatchPage<SessionView, Progress['state']>(
      { events, clock },
      {
        target: store.presentTarget,
        latest,
        progress: progressOf,
        baseUrl: () => config.verifierBaseUrl,
        isFinal: (state) => FINAL_STATES.includes(state),
      },
    ),
  }
}

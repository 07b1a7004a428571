import { createAgentDids } from '../agent/dids.js'
import { createIssuerCertificates } from '../agent/issuer-certificate.js'
import { createRecords } from '../agent/records.js'
import { createLook } from '../agent/registrations/look.js'
import { createRegistrations } from '../agent/registrations/registrations.js'
import { createRegistrationWatch } from '../agent/registrations/watch.js'
import { createSigners } from '../agent/signers/signers.js'
import { createSignerStore } from '../agent/signers/store.js'
import { createSigningKeys } from '../agent/signing-keys/signing-keys.js'
import { createSigningKeyStore } from '../agent/signing-keys/store.js'
import { createAgentStore } from '../agent/store.js'
import { createVerifierCertificates } from '../agent/verifier-certificate.js'
import { createDids } from '../dids/dids.js'
import { type Identify, newIdentity } from '../dids/identity.js'
import { createDidStore } from '../dids/store.js'
import { createAcceptDisplay } from '../images/accept-display.js'
import { defaultPrefix } from '../verifier/openid4vp/profiles/request.js'
import type { Platform } from './platform.js'

/** Creates the identities of this installation: its DIDs, issuers and verifiers. */
export function wireIdentities(platform: Platform) {
  const { config, stores, listsOver, clock, newId, vault, keys, keyProviders, formats } = platform
  const identify: Identify = (request) => newIdentity({ vault, newId, providers: keyProviders }, request)

  const acceptDisplay = createAcceptDisplay({ store: stores.images, config, clock })

  const dids = createDids({ store: stores.dids, config, link: platform.domainLinkages, identify })

  const agent = {
    records: createRecords({
      store: stores.agents,
      lists: listsOver(createAgentStore),
      config,
      newId,
      identify,
      keyProviders,
      acceptDisplay,
    }),
    dids: createAgentDids({ store: stores.dids, lists: listsOver(createDidStore), config, create: dids.create }),
    certificates: createVerifierCertificates({ agents: stores.agents, store: stores.keys, keys, config, clock }),
    issuerCertificates: createIssuerCertificates({ agents: stores.agents, store: stores.keys, keys, config, clock }),
  }

  const signers = createSigners({
    store: stores.signers,
    lists: listsOver(createSignerStore),
    dids: stores.dids,
    config,
    formats,
    defaultPrefix: (client) => defaultPrefix(config.verifierProfile, client),
    acceptDisplay,
    clock,
  })

  const signingKeys = createSigningKeys({
    store: stores.signingKeys,
    lists: listsOver(createSigningKeyStore),
    keyRotation: stores.keyRotation,
    providers: keyProviders,
    config,
    vault,
    newId,
    clock,
  })

  const look = createLook({ config, outbound: platform.outbound })
  const registrations = createRegistrations({
    store: stores.registrations,
    agents: stores.agents,
    signers: stores.signers,
    keys: stores.keys,
    look,
    config,
    clock,
    newId,
  })
  const registrationWatch = createRegistrationWatch({ store: stores.registrations, look, clock, log: platform.log })

  return { dids, agent, signers, signingKeys, acceptDisplay, registrations, registrationWatch }
}

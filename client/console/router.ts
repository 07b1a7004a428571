import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { consolePath } from './address.js'
import { lazyRouteComponent } from './loaded.js'
import { auditSearch } from './screens/audit/search.js'
import { credentialSearch } from './screens/credentials/search.js'
import { Overview } from './screens/overview/overview.js'
import { sessionSearch } from './screens/sessions/search.js'
import { entitySearch } from './screens/trust/lists/search.js'
import { Broken } from './shell/broken.js'
import { NotFound } from './shell/not-found.js'
import { Pending } from './shell/pending.js'
import { Shell } from './shell/shell.js'
import { SIGNED_IN } from './signed-in.js'

/** How long the former screen stays while the next screen loads, in milliseconds. */
const PENDING_MS = 50

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken })

// The overview opens first, so it is part of the console's first file.
const overview = createRoute({ getParentRoute: () => root, path: '/', component: Overview })

// Each other screen is a separate chunk. It is loaded when the user opens the screen or is about to open it.
const types = createRoute({
  getParentRoute: () => root,
  path: '/types',
  component: lazyRouteComponent(() => import('./screens/types/list.js'), 'TypeList'),
})

// The name of a type has no hyphen, so this path cannot be the page of a type.
const newType = createRoute({
  getParentRoute: () => root,
  path: '/types/new-type',
  // The name of the type that the new type copies.
  validateSearch: ({ from }: Readonly<Record<string, unknown>>): { from?: string } =>
    typeof from === 'string' ? { from } : {},
  component: lazyRouteComponent(() => import('./screens/types/edit.js'), 'NewType'),
})

const type = createRoute({
  getParentRoute: () => root,
  path: '/types/$name',
  component: lazyRouteComponent(() => import('./screens/types/detail.js'), 'TypeDetail'),
})

const nextVersion = createRoute({
  getParentRoute: () => root,
  path: '/types/$name/edit',
  component: lazyRouteComponent(() => import('./screens/types/edit.js'), 'NextVersion'),
})

const typeInSearch = ({ type: name }: Readonly<Record<string, unknown>>): { type?: string } =>
  typeof name === 'string' ? { type: name } : {}

const newOffer = createRoute({
  getParentRoute: () => root,
  path: '/offers',
  validateSearch: typeInSearch,
  component: lazyRouteComponent(() => import('./screens/offers/new-offer.js'), 'NewOffer'),
})

// The paths of offers contain UUIDs, so this path cannot be the page of an offer.
const offersFromFile = createRoute({
  getParentRoute: () => root,
  path: '/offers/from-file',
  validateSearch: typeInSearch,
  component: lazyRouteComponent(() => import('./screens/offers/many/from-file.js'), 'FromFile'),
})

const offerBatches = createRoute({
  getParentRoute: () => root,
  path: '/offers/batches',
  component: lazyRouteComponent(() => import('./screens/offers/batches/list.js'), 'BatchList'),
})

const offerBatch = createRoute({
  getParentRoute: () => root,
  path: '/offers/batches/$id',
  component: lazyRouteComponent(() => import('./screens/offers/batches/batch.js'), 'OfferBatch'),
})

const offer = createRoute({
  getParentRoute: () => root,
  path: '/offers/$id',
  component: lazyRouteComponent(() => import('./screens/offers/offer.js'), 'Offer'),
})

const requests = createRoute({
  getParentRoute: () => root,
  path: '/requests',
  component: lazyRouteComponent(() => import('./screens/requests/list.js'), 'RequestList'),
})

// The paths of requests contain UUIDs, so this path cannot be the page of a request.
const newRequest = createRoute({
  getParentRoute: () => root,
  path: '/requests/new-request',
  // The saved query that fills the form.
  validateSearch: ({ query }: { query?: unknown }): { query?: string } => (typeof query === 'string' ? { query } : {}),
  component: lazyRouteComponent(() => import('./screens/requests/new-request.js'), 'NewRequest'),
})

const request = createRoute({
  getParentRoute: () => root,
  path: '/requests/$id',
  component: lazyRouteComponent(() => import('./screens/requests/request.js'), 'Request'),
})

const credentials = createRoute({
  getParentRoute: () => root,
  path: '/credentials',
  validateSearch: credentialSearch,
  component: lazyRouteComponent(() => import('./screens/credentials/list.js'), 'CredentialList'),
})

// The paths of credentials contain UUIDs, so this path cannot be the page of a credential.
const statusJobs = createRoute({
  getParentRoute: () => root,
  path: '/credentials/jobs',
  // The batch whose credentials the job changes.
  validateSearch: ({ batch }: { batch?: unknown }): { batch?: string } => (typeof batch === 'string' ? { batch } : {}),
  component: lazyRouteComponent(() => import('./screens/status-jobs/list.js'), 'StatusJobs'),
})

const statusJob = createRoute({
  getParentRoute: () => root,
  path: '/credentials/jobs/$id',
  component: lazyRouteComponent(() => import('./screens/status-jobs/job.js'), 'Job'),
})

const credential = createRoute({
  getParentRoute: () => root,
  path: '/credentials/$id',
  component: lazyRouteComponent(() => import('./screens/credentials/credential.js'), 'Credential'),
})

const wallets = createRoute({
  getParentRoute: () => root,
  path: '/wallets',
  component: lazyRouteComponent(() => import('./screens/wallets/list.js'), 'WalletList'),
})

const wallet = createRoute({
  getParentRoute: () => root,
  path: '/wallets/$id',
  component: lazyRouteComponent(() => import('./screens/wallets/wallet.js'), 'Wallet'),
})

const heldCredential = createRoute({
  getParentRoute: () => root,
  path: '/wallets/$id/credentials/$credentialId',
  component: lazyRouteComponent(() => import('./screens/wallets/held-credential.js'), 'HeldCredential'),
})

const signedIn = createRoute({
  getParentRoute: () => root,
  path: SIGNED_IN,
  component: lazyRouteComponent(() => import('./shell/signed-in.js'), 'SignedIn'),
})

const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: sessionSearch,
  component: lazyRouteComponent(() => import('./screens/sessions/sessions.js'), 'Sessions'),
})

const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  component: lazyRouteComponent(() => import('./screens/verify/verify.js'), 'Verify'),
})

const trust = createRoute({
  getParentRoute: () => root,
  path: '/trust',
  component: lazyRouteComponent(() => import('./screens/trust/trust.js'), 'Trust'),
})

const trusted = createRoute({
  getParentRoute: () => root,
  path: '/trust/trusted',
  component: lazyRouteComponent(() => import('./screens/trust/trusted.js'), 'Trusted'),
})

const lists = createRoute({
  getParentRoute: () => root,
  path: '/trust/lists',
  component: lazyRouteComponent(() => import('./screens/trust/lists/lists.js'), 'TrustLists'),
})

const list = createRoute({
  getParentRoute: () => root,
  path: '/trust/lists/$id',
  validateSearch: entitySearch,
  component: lazyRouteComponent(() => import('./screens/trust/lists/list.js'), 'TrustList'),
})

// The address does not contain what is explained: it may be a person's credential.
const explain = createRoute({
  getParentRoute: () => root,
  path: '/trust/explain',
  component: lazyRouteComponent(() => import('./screens/trust/explain/explain.js'), 'ExplainTrust'),
})

const images = createRoute({
  getParentRoute: () => root,
  path: '/trust/images',
  component: lazyRouteComponent(() => import('./screens/trust/images.js'), 'Images'),
})

const keys = createRoute({
  getParentRoute: () => root,
  path: '/trust/keys',
  component: lazyRouteComponent(() => import('./screens/trust/keys/keys.js'), 'SigningKeys'),
})

const rotation = createRoute({
  getParentRoute: () => root,
  path: '/trust/rotation',
  component: lazyRouteComponent(() => import('./screens/trust/rotation.js'), 'Rotation'),
})

// The paths of records contain UUIDs, so this path cannot be the page of a record.
const newIssuer = createRoute({
  getParentRoute: () => root,
  path: '/trust/issuers/new-issuer',
  component: lazyRouteComponent(() => import('./screens/trust/new-signer.js'), 'NewIssuer'),
})

const issuer = createRoute({
  getParentRoute: () => root,
  path: '/trust/issuers/$id',
  component: lazyRouteComponent(() => import('./screens/trust/issuer.js'), 'Issuer'),
})

const newVerifier = createRoute({
  getParentRoute: () => root,
  path: '/trust/verifiers/new-verifier',
  component: lazyRouteComponent(() => import('./screens/trust/new-signer.js'), 'NewVerifier'),
})

const verifier = createRoute({
  getParentRoute: () => root,
  path: '/trust/verifiers/$id',
  component: lazyRouteComponent(() => import('./screens/trust/verifier.js'), 'Verifier'),
})

const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./screens/audit/audit.js'), 'Audit'),
})

// The address does not contain the person: a DID or a user name would stay in the history of the browser.
const person = createRoute({
  getParentRoute: () => root,
  path: '/person',
  component: lazyRouteComponent(() => import('./screens/person/person.js'), 'PersonsData'),
})

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('./screens/settings/settings.js'), 'Settings'),
})

// Shows the shared components while the console is developed. The bundle does not contain the screen.
const gallery = createRoute({
  getParentRoute: () => root,
  path: '/ui',
  component: import.meta.env.DEV ? lazyRouteComponent(() => import('./ui/gallery.js'), 'Gallery') : NotFound,
})

const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./screens/webhooks/list.js'), 'WebhookList'),
})

const webhook = createRoute({
  getParentRoute: () => root,
  path: '/webhooks/$id',
  component: lazyRouteComponent(() => import('./screens/webhooks/webhook.js'), 'Webhook'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    signedIn,
    overview,
    types,
    newType,
    type,
    nextVersion,
    newOffer,
    offersFromFile,
    offerBatches,
    offerBatch,
    offer,
    requests,
    newRequest,
    request,
    credentials,
    statusJobs,
    statusJob,
    credential,
    wallets,
    wallet,
    heldCredential,
    sessions,
    verify,
    trust,
    trusted,
    lists,
    list,
    explain,
    images,
    keys,
    rotation,
    newIssuer,
    issuer,
    newVerifier,
    verifier,
    audit,
    person,
    webhooks,
    webhook,
    settings,
    gallery,
  ]),
  basepath: consolePath,
  defaultPreload: 'intent',
  defaultErrorComponent: Broken,
  // On a slow network the user sees at once that a screen is coming.
  defaultPendingComponent: Pending,
  defaultPendingMs: PENDING_MS,
  defaultPendingMinMs: 0,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

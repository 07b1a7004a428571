import { defineConfig, type TestUserConfig } from 'vitest/config'

/** Tests of what needs neither a database nor a process: they start at once. */
export const unit = [
  'test/protocol/**/*.test.ts',
  'test/outbound/**/*.test.ts',
  'test/config/config.test.ts',
  'test/log/terminal.test.ts',
  'test/api/paging.test.ts',
  'test/auth/signing-keys.test.ts',
  'test/console/claims.test.ts',
  'test/console/kept-forms.test.ts',
  'test/console/local-days.test.ts',
  'test/console/offers-from-file.test.ts',
  'test/console/news.test.ts',
  'test/console/requests.test.ts',
  'test/console/schema-form.test.ts',
  'test/api/accept.test.ts',
  'test/contract/contracts.test.ts',
  'test/contract/direction.test.ts',
  'test/contract/layout.test.ts',
  'test/contract/on-demand.test.ts',
  'test/contract/ports.test.ts',
  'test/database/coalesce.test.ts',
  'test/database/kept-connections.test.ts',
  'test/database/standby.test.ts',
  'test/database/statement-texts.test.ts',
  'test/database/with-steps.test.ts',
  'test/deploy/*.test.ts',
  'test/dids/resolver.test.ts',
  'test/events/inquiry.test.ts',
  'test/events/subscriptions.test.ts',
  'test/issuer/openid4vci/client-authentication.test.ts',
  'test/issuer/openid4vci/notifications.test.ts',
  'test/issuer/openid4vci/request-nonces.test.ts',
  'test/issuer/credential-offers/decisions.test.ts',
  'test/issuer/issuance/*.test.ts',
  'test/issuer/offerings/claim-rules.test.ts',
  'test/issuer/openid4vci/sealed.test.ts',
  'test/issuer/openid4vci/tx-code-check.test.ts',
  'test/issuer/openid4vci/tx-code.test.ts',
  'test/issuer/openid4vci/wallet-offers.test.ts',
  'test/docs/conformance.test.ts',
  'test/docs/endpoints.test.ts',
  'test/docs/design.test.ts',
  'test/docs/images.test.ts',
  'test/docs/links.test.ts',
  'test/docs/operations.test.ts',
  'test/docs/versions.test.ts',
  'test/docs/wallets.test.ts',
  'test/formats/registry.test.ts',
  'test/http/call-procedure.test.ts',
  'test/http/openapi.test.ts',
  'test/issuer/openid4vci/profiles/single-proof.test.ts',
  'test/http/request-facts.test.ts',
  'test/pages/html.test.ts',
  'test/people-pages/come-back.test.ts',
  'test/people-pages/contact.test.ts',
  'test/people-pages/transactions.test.ts',
  'test/config/wallet-links.test.ts',
  'test/console/login-languages.test.ts',
  'test/pages/tokens.test.ts',
  'test/statistics/figures.test.ts',
  'test/scripts/node-version.test.ts',
  'test/scripts/conformance.test.ts',
  'test/scripts/identity-provider.test.ts',
  'test/scripts/login.test.ts',
  'test/scripts/settings.test.ts',
  'test/verifier/qr-codes/png.test.ts',
  'test/verifier/sessions/reading-results.test.ts',
  'test/verifier/sessions/session-states.test.ts',
  'test/verifier/presentations/trust.test.ts',
  'test/verifier/verify/outcomes.test.ts',
  'test/verifier/verify/own-status.test.ts',
  'test/verifier/verify/work-of-chains.test.ts',
  'test/wallet/flows/records.test.ts',
  'test/wallet/invitations/invitation.test.ts',
  'test/wallet/openid4vci/receiving.test.ts',
  'test/wallet/openid4vp/matching.test.ts',
  'test/wallet/presentations/*.test.ts',
  'test/webhooks/signing.test.ts',
]

/** Tests that start programs: the built service, npm start, the compiler, the linter. */
export const processes = [
  'test/bench/*.test.ts',
  'test/main/**/*.test.ts',
  'test/proof/announcement-killed.test.ts',
  'test/proof/authorization-killed.test.ts',
  'test/proof/idempotency-killed.test.ts',
  'test/proof/killed.test.ts',
  'test/proof/status-indices.test.ts',
  'test/proof/webhooks-killed.test.ts',
  'test/scripts/*.test.ts',
  'test/install/**/*.test.ts',
  'test/contract/import-rule.test.ts',
  'test/keys/at-rest.test.ts',
  'test/keys/encryption-killed.test.ts',
  'test/keys/envelope-processes.test.ts',
  'test/issuer/status-jobs/killed.test.ts',
]

const browser = ['test/browser/**']

/** What every test has, those in a browser too. */
export const common: TestUserConfig = {
  setupFiles: ['test/support/setup.ts'],
  pool: 'forks',
  // Files of a worker share what is loaded once: loading the service anew for each took a third of the time. A file that
  // changes something of the process's puts it back.
  isolate: false,
  // What files are compiled to is kept by their content, for the projects of one run and for the next: before the first test
  // of each, workers waited for the one process that compiles. `npx vitest --clearCache` forgets it.
  experimental: { fsModuleCache: true },
  maxWorkers: 3,
  // A large young generation saves collections of short-lived objects. Every supported Node takes these two options.
  execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64'],
  // A net for what hangs, wide enough for a busy machine.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
}

export default defineConfig({
  test: {
    ...common,
    projects: [
      { extends: true, test: { name: 'unit', include: unit, sequence: { groupOrder: 0 } } },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...unit, ...processes, ...browser],
          globalSetup: ['test/support/database-setup.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: processes,
          exclude: unit,
          globalSetup: ['test/support/database-setup.ts', 'test/support/installation-setup.ts'],
          // Their programs are workers beside them.
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

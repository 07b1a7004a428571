import { expect, it } from 'vitest'
import { startService } from '../support/service.js'

/** Finds the names of all tasks in a feature, without the wiring's own list. */
function namesBelow(value: unknown, depth = 0): string[] {
  if (typeof value !== 'object' || value === null || depth > 3) return []
  const { tasks } = value as { tasks?: readonly { name: string }[] }
  const own = Array.isArray(tasks) ? tasks.map(({ name }) => name) : []
  return [...own, ...Object.values(value).flatMap((member) => namesBelow(member, depth + 1))]
}

it('the maintenance job runs every task of every feature', async () => {
  await using service = await startService()
  const listed = Object.values<object>(service.features).flatMap((feature) =>
    'tasks' in feature ? (feature.tasks as { name: string }[]).map(({ name }) => name) : [],
  )
  expect(
    Object.values(service.features)
      .flatMap((feature) => namesBelow(feature))
      .sort(),
  ).toEqual(listed.toSorted())
  expect(listed.toSorted()).toMatchInlineSnapshot(`
    [
      "ask for deferred credentials",
      "cancel batches of offers",
      "change statuses of credentials",
      "count what happened",
      "erase claims of credentials",
      "erase claims of offerings",
      "erase reasons of batches",
      "expire credential offer sessions",
      "expire credentials",
      "expire verification sessions",
      "forget verified claims",
      "hash keys of offers",
      "look at certificates",
      "partitions of audit_events",
      "partitions of issuance_tokens",
      "partitions of session_events",
      "partitions of used_nonces",
      "partitions of webhook_deliveries",
      "read attestation lists",
      "read status of registration certificates",
      "read trusted lists",
      "remove access tokens",
      "remove authorizations",
      "remove console sessions",
      "remove contents of trusted lists",
      "remove credential records",
      "remove ended credential offer sessions",
      "remove ended verification sessions",
      "remove events of removed sessions",
      "remove evidence",
      "remove expired deferred credentials",
      "remove expired flows",
      "remove exports",
      "remove former keys of credential requests",
      "remove pages",
      "remove unacknowledged credential offer sessions",
      "remove unused images",
      "remove used nonces",
      "remove waiting events of deleted webhooks",
      "remove wallet presentations",
      "revoke after attestations",
    ]
  `)
})

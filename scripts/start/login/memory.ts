/** Entries that are stored at the same time. The oldest entry leaves first. */
const MAX_ENTRIES = 10_000

type Payload = Record<string, unknown>

interface Entry {
  readonly payload: Payload
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Makes the storage of one provider: an adapter class of oidc-provider, whose data are in memory. */
export function createMemory() {
  const entries = new Map<string, Entry>()

  return class Memory {
    constructor(readonly model: string) {}

    async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
      const until = expiresIn === undefined ? Number.POSITIVE_INFINITY : Date.now() + expiresIn * 1000
      entries.delete(this.key(id))
      entries.set(this.key(id), { payload, until })
      for (const key of entries.keys()) {
        if (entries.size <= MAX_ENTRIES) break
        entries.delete(key)
      }
    }

    async find(id: string): Promise<Payload | undefined> {
      const entry = entries.get(this.key(id))
      return entry !== undefined && entry.until > Date.now() ? entry.payload : undefined
    }

    async findByUid(uid: string): Promise<Payload | undefined> {
      return this.payloads().find((payload) => payload.uid === uid)
    }

    /** The provider has no device flow, so no entry has a user code. */
    async findByUserCode(): Promise<undefined> {
      return undefined
    }

    async consume(id: string): Promise<void> {
      const payload = await this.find(id)
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
    }

    async destroy(id: string): Promise<void> {
      entries.delete(this.key(id))
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      for (const [key, { payload }] of entries) {
        if (key.startsWith(`${this.model}:`) && payload.grantId === grantId) entries.delete(key)
      }
    }

    key(id: string): string {
      return `${this.model}:${id}`
    }

    payloads(): Payload[] {
      return [...entries].flatMap(([key, { payload, until }]) =>
        key.startsWith(`${this.model}:`) && until > Date.now() ? [payload] : [],
      )
    }
  }
}

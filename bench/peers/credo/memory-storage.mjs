import { RecordDuplicateError, RecordNotFoundError } from '@credo-ts/core'

/**
 * Credo's records in memory: the objects themselves, never serialized, found by id or by an index over their tags. No
 * storage of Credo's own is quicker.
 */
export class MemoryStorage {
  supportsCursorPagination = false
  #records = new Map()
  #byTag = new Map()
  #keysOf = new Map()

  #index(record) {
    this.#unindex(record)
    const keys = Object.entries(record.getTags()).flatMap(([tag, value]) =>
      [value].flat().map((one) => `${record.type} ${tag} ${one}`),
    )
    for (const key of keys) {
      if (!this.#byTag.has(key)) this.#byTag.set(key, new Set())
      this.#byTag.get(key).add(record)
    }
    this.#keysOf.set(record, keys)
  }

  #unindex(record) {
    for (const key of this.#keysOf.get(record) ?? []) {
      const records = this.#byTag.get(key)
      records.delete(record)
      if (records.size === 0) this.#byTag.delete(key)
    }
    this.#keysOf.delete(record)
  }

  #find(recordClass, id) {
    const record = this.#records.get(`${recordClass.type} ${id}`)
    if (record === undefined) throw new RecordNotFoundError(`${id} is unknown.`, { recordType: recordClass.type })
    return record
  }

  async save(_context, record) {
    const key = `${record.type} ${record.id}`
    if (this.#records.has(key)) throw new RecordDuplicateError(`${record.id} exists.`, { recordType: record.type })
    this.#records.set(key, record)
    this.#index(record)
  }

  async update(_context, record) {
    record.updatedAt = new Date()
    this.#records.set(`${record.type} ${record.id}`, record)
    this.#index(record)
  }

  async delete(context, record) {
    await this.deleteById(context, record.constructor, record.id)
  }

  async deleteById(_context, recordClass, id) {
    this.#unindex(this.#find(recordClass, id))
    this.#records.delete(`${recordClass.type} ${id}`)
  }

  async getById(_context, recordClass, id) {
    return this.#find(recordClass, id)
  }

  async getAll(_context, recordClass) {
    return [...this.#records].flatMap(([key, record]) => (key.startsWith(`${recordClass.type} `) ? [record] : []))
  }

  async findByQuery(context, recordClass, { $and = [], $or = [], $not, ...tags }, { limit, offset = 0 } = {}) {
    const has = (record) => Object.values(this.#keysOf.get(record) ?? [])
    const wanted = Object.entries(tags)
      .filter(([, value]) => value !== undefined)
      .flatMap(([tag, value]) => [value].flat().map((one) => `${recordClass.type} ${tag} ${one}`))
    const [first, ...rest] = wanted
    let found = first === undefined ? await this.getAll(context, recordClass) : [...(this.#byTag.get(first) ?? [])]
    found = found.filter((record) => rest.every((key) => has(record).includes(key)))
    const among = async (query) => new Set(await this.findByQuery(context, recordClass, query))
    for (const query of $and) {
      const others = await among(query)
      found = found.filter((record) => others.has(record))
    }
    if ($or.length > 0) {
      const others = await Promise.all($or.map(among))
      found = found.filter((record) => others.some((set) => set.has(record)))
    }
    if ($not !== undefined) {
      const others = await among($not)
      found = found.filter((record) => !others.has(record))
    }
    return found.slice(offset, limit === undefined ? undefined : offset + limit)
  }
}

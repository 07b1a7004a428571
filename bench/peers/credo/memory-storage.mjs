const NONE = new Set()

/**
 * Credo's records in memory: the objects themselves, never serialized, found by id or by an index over their tags. A
 * query reads only the records that have the query's rarest tag, so the cost of a query does not depend on the number
 * of all records.
 */
export class MemoryStorage {
  supportsCursorPagination = false
  #errors
  #records = new Map()
  #byTag = new Map()
  #keysOf = new Map()

  /** @param errors Credo's errors for a duplicate record and for an unknown record */
  constructor(errors) {
    this.#errors = errors
  }

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
      records?.delete(record)
      if (records?.size === 0) this.#byTag.delete(key)
    }
    this.#keysOf.delete(record)
  }

  #find(recordClass, id) {
    const record = this.#records.get(`${recordClass.type} ${id}`)
    if (record === undefined) {
      throw new this.#errors.RecordNotFoundError(`${id} is unknown.`, { recordType: recordClass.type })
    }
    return record
  }

  async save(_context, record) {
    const key = `${record.type} ${record.id}`
    if (this.#records.has(key)) {
      throw new this.#errors.RecordDuplicateError(`${record.id} exists.`, { recordType: record.type })
    }
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
    const among = async (query) => new Set(await this.findByQuery(context, recordClass, query))
    const sets = Object.entries(tags)
      .filter(([, value]) => value !== undefined)
      .flatMap(([tag, value]) =>
        [value].flat().map((one) => this.#byTag.get(`${recordClass.type} ${tag} ${one}`) ?? NONE),
      )
    for (const query of $and) sets.push(await among(query))
    if ($or.length > 0) {
      const some = new Set()
      for (const query of $or) for (const record of await among(query)) some.add(record)
      sets.push(some)
    }
    const [rarest, ...others] = sets.sort((a, b) => a.size - b.size)
    const excluded = $not === undefined ? NONE : await among($not)
    const found = [...(rarest ?? (await this.getAll(context, recordClass)))].filter(
      (record) => others.every((set) => set.has(record)) && !excluded.has(record),
    )
    return found.slice(offset, limit === undefined ? undefined : offset + limit)
  }
}

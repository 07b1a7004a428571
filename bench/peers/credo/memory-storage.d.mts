/** The members of Credo's records that the storage reads. */
interface StoredRecord {
  readonly id: string
  readonly type: string
  updatedAt: Date | undefined
  getTags(): Readonly<Record<string, unknown>>
}

interface RecordClass<R extends StoredRecord> {
  new (...args: never[]): R
  readonly type: string
}

interface Errors {
  readonly RecordDuplicateError: new (message: string, options: { recordType: string }) => Error
  readonly RecordNotFoundError: new (message: string, options: { recordType: string }) => Error
}

export declare class MemoryStorage {
  constructor(errors: Errors)
  save(context: object, record: StoredRecord): Promise<void>
  update(context: object, record: StoredRecord): Promise<void>
  delete(context: object, record: StoredRecord): Promise<void>
  getById<R extends StoredRecord>(context: object, recordClass: RecordClass<R>, id: string): Promise<R>
  findByQuery<R extends StoredRecord>(
    context: object,
    recordClass: RecordClass<R>,
    query: object,
    options?: object,
  ): Promise<R[]>
}

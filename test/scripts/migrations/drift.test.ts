import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { migrationDrift } from '../../../scripts/migrations/drift.js'
import { writeMigration } from '../../../scripts/migrations/write-migration.js'
import { projectDirectory } from '../../../server/database/migrations.js'

const prisma = join(projectDirectory(), 'prisma')
const { url } = inject('databaseServer')

it('schema.prisma agrees with the migrations', async () => {
  await expect(migrationDrift(prisma, url)).resolves.toBeNull()
})

describe('in a separate project', () => {
  const schema = `datasource db {
  provider = "postgresql"
}

model Parcel {
  id     String  @id
  weight Int
  note   String?
}
`
  const now = new Date('2026-01-31T12:00:05Z')
  let directory: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'credence-prisma-'))
    await writeFile(join(directory, 'schema.prisma'), schema)
  })

  afterEach(() => rm(directory, { recursive: true }))

  it('the first migration makes every table, and then there is no difference', async () => {
    const file = await writeMigration(directory, 'init', url, now)
    expect(file).toBe(join(directory, 'migrations', '20260131120005_init', 'migration.sql'))
    await expect(readFile(file ?? '', 'utf8')).resolves.toContain('CREATE TABLE "Parcel"')
    await expect(writeMigration(directory, 'again', url, now)).resolves.toBeNull()
  })

  it('a later migration contains only the difference', async () => {
    await writeMigration(directory, 'init', url, now)
    await writeFile(join(directory, 'schema.prisma'), schema.replace('weight Int', 'weight BigInt'))
    await expect(migrationDrift(directory, url)).resolves.toBe(
      '-- AlterTable\nALTER TABLE "Parcel" ALTER COLUMN "weight" SET DATA TYPE BIGINT;\n',
    )
  })

  it('manual SQL that Prisma cannot express is no difference', async () => {
    const file = (await writeMigration(directory, 'init', url, now)) ?? ''
    const sql = await readFile(file, 'utf8')
    await writeFile(
      file,
      `${sql}
ALTER TABLE "Parcel" ADD CONSTRAINT parcel_weighs CHECK (weight > 0);
CREATE UNIQUE INDEX parcel_note ON "Parcel" (note) WHERE note IS NOT NULL;
CREATE INDEX parcel_note_lower ON "Parcel" (lower(note));
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no;'; END; $$;
CREATE TRIGGER parcel_stays BEFORE DELETE ON "Parcel" FOR EACH ROW EXECUTE FUNCTION refuse();
`,
    )
    await expect(migrationDrift(directory, url)).resolves.toBeNull()
  })

  it('manual partitions are no difference either; their table is compared like any other', async () => {
    const file = (await writeMigration(directory, 'init', url, now)) ?? ''
    const table = (columns: string) => `
CREATE TABLE "Parcel" (id text NOT NULL, ${columns} note text, CONSTRAINT "Parcel_pkey" PRIMARY KEY (id)) PARTITION BY HASH (id);
CREATE TABLE parcel_0 PARTITION OF "Parcel" FOR VALUES WITH (MODULUS 1, REMAINDER 0);
`
    await writeFile(file, table('weight integer NOT NULL,'))
    await expect(migrationDrift(directory, url)).resolves.toBeNull()
    await writeFile(file, table(''))
    await expect(migrationDrift(directory, url)).resolves.toContain('ALTER TABLE "Parcel" ADD COLUMN     "weight"')
  })

  it('manual SQL that schema.prisma should contain is a difference', async () => {
    const file = (await writeMigration(directory, 'init', url, now)) ?? ''
    await writeFile(file, `${await readFile(file, 'utf8')}\nALTER TABLE "Parcel" ADD COLUMN height integer;\n`)
    await expect(migrationDrift(directory, url)).resolves.toContain('DROP COLUMN "height"')
  })
})

it('detects a change of the schema of this project', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'credence-prisma-'))
  await cp(prisma, directory, { recursive: true })
  const file = join(directory, 'schema.prisma')
  await writeFile(file, `${await readFile(file, 'utf8')}\nmodel Unmigrated {\n  id String @id\n}\n`)
  await expect(migrationDrift(directory, url)).resolves.toContain('CREATE TABLE "Unmigrated"')
  await rm(directory, { recursive: true })
})

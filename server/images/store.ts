import { z } from 'zod'
import { audited } from '../database/audited.js'
import { type BatchDone, batchDone, deletedBatch, deletedRow } from '../database/batch.js'
import type { Database } from '../database/connect.js'
import { isForeignKeyViolation } from '../database/errors.js'
import { emptyFragment, type Fragment, fragment, Step } from '../database/fragment.js'
import { type TimedPart, timedPart } from '../database/list-position.js'
import { rowsOf } from '../database/row-check.js'
import { Prisma } from '../generated/prisma/client.js'
import { MOST_USES } from './images.contract.js'
import { type CheckedImage, IMAGE_TYPES, type ImageType } from './read/read-image.js'

/** The kinds of records whose display may refer to images. */
export type ImageUser = 'schema' | 'issuer' | 'verifier'

const zServed = z.strictObject({ mediaType: z.string(), bytes: z.instanceof(Uint8Array) })
const zKnown = z.strictObject({ id: z.string(), mediaType: z.string() })
const zCount = z.strictObject({ unused: z.int() })
const zListedImage = z.strictObject({
  id: z.string(),
  mediaType: z.enum(IMAGE_TYPES),
  width: z.number(),
  height: z.number(),
  size: z.int(),
  uses: z.int(),
  createdAt: z.date(),
  touchedAt: z.date(),
})
const zRemoval = z.strictObject({ known: z.boolean(), uses: z.int(), removed: z.boolean() })

/** An image as lists show it. */
export type ListedImage = z.infer<typeof zListedImage>

/** The images that a list shows. */
export interface WantedImages {
  /** The `sub` of the only uploader, empty for the client secret; undefined for the images of all callers. */
  readonly uploader: string | undefined
  /** Whether only images are listed that no record uses. */
  readonly unused: boolean
}

/** The outcome of a deletion. `uses` is the number of records because of which nothing was deleted. */
export type Removal = 'removed' | 'unknown' | { readonly uses: number }

/** Steps of a statement that write which images a new record uses. There is none for a record without images. */
export function useImages(user: ImageUser, of: Step<'id'>, imageIds: readonly string[]): Step[] {
  if (imageIds.length === 0) return []
  const body = fragment`
    INSERT INTO image_uses (image_id, used_by, used_by_id) SELECT i.id, ${user}, u.id FROM ${of} u, unnest(${[...imageIds]}::text[]) i (id)`
  return [new Step('uses', body)]
}

/**
 * Steps of a statement that write which images a changed record uses from now on. The period in which an unused image stays begins again
 * for the images that the record no longer uses.
 */
export function reuseImages(user: ImageUser, of: Step<'id'>, imageIds: readonly string[], now: Date): Step[] {
  const kept = fragment`ANY(${[...imageIds]}::text[])`
  const dropped = new Step<'image_id'>(
    'dropped',
    fragment`
      DELETE FROM image_uses u USING ${of} c
      WHERE u.used_by = ${user} AND u.used_by_id = c.id AND NOT u.image_id = ${kept} RETURNING u.image_id`,
  )
  const touched = new Step(
    'touched',
    fragment`UPDATE images i SET touched_at = ${now} FROM ${dropped} d WHERE i.id = d.image_id`,
  )
  const added = new Step(
    'uses',
    fragment`
      INSERT INTO image_uses (image_id, used_by, used_by_id)
      SELECT i.id, ${user}, c.id FROM ${of} c, unnest(${[...imageIds]}::text[]) i (id) ON CONFLICT DO NOTHING`,
  )
  return [touched, added]
}

const isUnused: Fragment = fragment`NOT EXISTS (SELECT 1 FROM image_uses u WHERE u.image_id = images.id)`

export type ImageStore = ReturnType<typeof createImageStore>

const countedUses = fragment`
  (SELECT count(*)::int FROM (SELECT 1 FROM image_uses u WHERE u.image_id = images.id LIMIT ${MOST_USES}) u)`

export function createImageStore({ prisma, sql, bounded }: Database) {
  return {
    /**
     * Stores an image, and that the caller uploaded it. The uploads of a caller wait for each other, so that simultaneous uploads cannot
     * exceed the limit.
     *
     * @param uploader the `sub` of the caller; empty for the client secret
     * @param mostUnused how many images of the caller may be unused, including this image
     * @returns false if the caller has too many unused images; then nothing was written
     */
    add: (image: CheckedImage, uploader: string, mostUnused: number, now: Date): Promise<boolean> =>
      prisma.$transaction(async (tx) => {
        await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`image_uploads ${uploader}`}, 0))`
        const counted = Prisma.sql`
          SELECT count(*)::int AS unused FROM (
            SELECT 1 FROM image_uploads p WHERE p.uploader = ${uploader} AND p.image_id <> ${image.id}
              AND NOT EXISTS (SELECT 1 FROM image_uses u WHERE u.image_id = p.image_id) LIMIT ${mostUnused}) p`
        const [row] = rowsOf(zCount, await tx.$queryRaw<unknown[]>(counted), counted.sql)
        if ((row?.unused ?? 0) >= mostUnused) return false
        const { id, mediaType, width, height } = image
        await tx.image.upsert({
          where: { id },
          create: { id, mediaType, width, height, bytes: Buffer.from(image.bytes), createdAt: now, touchedAt: now },
          update: { touchedAt: now },
          select: { id: true },
        })
        await tx.imageUpload.createMany({
          data: [{ imageId: id, uploader, createdAt: now }],
          skipDuplicates: true,
        })
        return true
      }),

    /** The type and bytes of an image. */
    async find(id: string): Promise<{ readonly mediaType: string; readonly bytes: Uint8Array } | undefined> {
      const [row] = await sql(zServed)`SELECT media_type AS "mediaType", bytes FROM images WHERE id = ${id}`
      return row
    },

    /**
     * Finds images that a record is about to use. The period in which an unused image stays begins again, so the images are still there
     * when the record is written.
     *
     * @returns the types of the known images, by their ids
     */
    async claim(ids: readonly string[], now: Date): Promise<ReadonlyMap<string, ImageType>> {
      if (ids.length === 0) return new Map()
      const rows = await sql(zKnown)`
        UPDATE images SET touched_at = ${now} WHERE id = ANY(${[...ids]}::text[]) RETURNING id, media_type AS "mediaType"`
      // Only checked images are stored, so the column holds no other type.
      return new Map(rows.map(({ id, mediaType }) => [id, mediaType as ImageType]))
    },

    /** Images, the newest first. */
    page({ uploader, unused }: WantedImages, part: TimedPart): Promise<ListedImage[]> {
      const columns = fragment`
        images.id, images.media_type AS "mediaType", images.width, images.height, octet_length(images.bytes) AS size,
        ${countedUses} AS uses, images.touched_at AS "touchedAt"`
      const filter = unused ? fragment`AND ${isUnused}` : emptyFragment
      return uploader === undefined
        ? bounded(zListedImage)`
            SELECT ${columns}, images.created_at AS "createdAt" FROM images
            WHERE true ${filter} ${timedPart(fragment`images.created_at`, fragment`images.id`, part)}`
        : bounded(zListedImage)`
            SELECT ${columns}, p.created_at AS "createdAt" FROM image_uploads p JOIN images ON images.id = p.image_id
            WHERE p.uploader = ${uploader} ${filter} ${timedPart(fragment`p.created_at`, fragment`p.image_id`, part)}`
    },

    /**
     * Deletes an image that no record uses. For one uploader, only the upload is deleted, and the image too if nobody else uploaded it.
     *
     * @param uploader whose upload is deleted; undefined to delete the image with all uploads
     * @param actor the `sub` of the caller; null for the client secret
     */
    async remove(id: string, uploader: string | undefined, actor: string | null): Promise<Removal> {
      const theirs = (image: Fragment) =>
        uploader === undefined
          ? fragment`true`
          : fragment`EXISTS (SELECT 1 FROM image_uploads p WHERE p.image_id = ${image} AND p.uploader = ${uploader})`
      const others =
        uploader === undefined
          ? fragment`false`
          : fragment`EXISTS (SELECT 1 FROM image_uploads p WHERE p.image_id = images.id AND p.uploader <> ${uploader})`
      const free = new Step<'id' | 'shared'>(
        'free',
        fragment`
          SELECT images.id, ${others} AS shared FROM images
          WHERE images.id = ${id} AND ${theirs(fragment`images.id`)} AND ${isUnused} FOR UPDATE`,
      )
      const image = new Step<'id'>(
        'removed',
        fragment`DELETE FROM images i USING ${free} f WHERE i.id = f.id AND NOT f.shared RETURNING i.id`,
      )
      const upload = new Step(
        'upload',
        fragment`DELETE FROM image_uploads p USING ${free} f WHERE p.image_id = f.id AND f.shared AND p.uploader = ${uploader ?? ''}`,
      )
      const recorded = audited({ of: image, actor, action: 'image.deleted', subject: 'image' })
      try {
        const [row] = await sql(zRemoval, [upload, recorded])`
          SELECT EXISTS (SELECT 1 FROM ${free}) AS removed,
            EXISTS (SELECT 1 FROM images WHERE images.id = ${id} AND ${theirs(fragment`images.id`)}) AS known,
            coalesce((SELECT ${countedUses} FROM images WHERE images.id = ${id}), 0) AS uses`
        if (row?.removed === true) return 'removed'
        return row?.known === true ? { uses: row.uses } : 'unknown'
      } catch (thrown) {
        // A record began to use the image after this statement had looked for uses.
        if (isForeignKeyViolation(thrown)) return { uses: 1 }
        throw thrown
      }
    },

    /** Removes images that no record uses, and that nobody touched since `before`. */
    async removeUnused(before: Date, limit: number): Promise<BatchDone> {
      const due = fragment`touched_at <= ${before} AND ${isUnused}`
      const rows = await sql(deletedRow)`${deletedBatch({ table: 'images', key: 'id', due, by: 'touched_at', limit })}`
      return batchDone(rows, limit)
    },
  }
}

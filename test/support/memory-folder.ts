import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** The folder of Linux with a file system in memory for all users. */
const SHARED_MEMORY = '/dev/shm'

/** The needed free space. The databases and the write-ahead log of a run use about 200 MB. Containers often have only 64 MB. */
const ENOUGH_BYTES = 2 * 1024 ** 3

/**
 * A folder for servers' data: in memory if there is enough, otherwise the folder for temporary files. The database of each test
 * has some hundred files. A file system on a disk takes up to ten times as long to make and remove them.
 */
export async function memoryFolder(): Promise<string> {
  try {
    await access(SHARED_MEMORY, constants.W_OK)
    const { bavail, bsize } = await statfs(SHARED_MEMORY)
    return bavail * bsize >= ENOUGH_BYTES ? SHARED_MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

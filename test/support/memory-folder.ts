import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** The folder of Linux with a file system in memory for all users. */
const SHARED_MEMORY = '/dev/shm'

/**
 * The needed free space. A run's databases and write-ahead log use about 200 MB, but the memory file system of
 * containers often has only 64 MB.
 */
const ENOUGH_BYTES = 2 * 1024 ** 3

/**
 * Returns a folder for the data of servers: in memory if there is enough space, otherwise the folder for temporary
 * files. The database of each test has several hundred files. A file system on a disk takes up to ten times as long to
 * create and delete these files.
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

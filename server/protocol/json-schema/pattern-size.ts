/** An escape, a class, a quantifier, or any other character. */
const TOKEN = /\\[pPuxk][{<][^}>]*[}>]|\\.|\[(?:\\.|[^\\\]])*\]|\{(\d+)(?:,(\d*))?\}|./gsu

interface Group {
  /** Instructions of the group before its last atom. */
  before: number
  /** Instructions of the last atom, which a quantifier repeats. */
  last: number
}

/**
 * Computes an upper limit of a compiled pattern's instructions from the pattern's text. Each atom counts as one
 * instruction, each group and alternative as two. A repetition multiplies the number of the repeated part. A text that
 * is no pattern also gets a number.
 */
export function instructionsIn(pattern: string): number {
  const groups: Group[] = [{ before: 0, last: 0 }]
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    const group = groups.at(-1) ?? { before: 0, last: 0 }
    if (token === '(') groups.push({ before: 2, last: 0 })
    else if (token === ')' && groups.length > 1) {
      groups.pop()
      append(groups.at(-1) ?? group, group.before + group.last)
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0), 1)
      // Each optional repetition needs one more instruction.
      group.last = group.last * times + (most === undefined ? 0 : times)
    } else append(group, token === '|' || '*+?'.includes(token) ? 2 : 1)
  }
  return groups.reduce((sum, { before, last }) => sum + before + last, 4)
}

function append(group: Group, instructions: number): void {
  group.before += group.last
  group.last = instructions
}

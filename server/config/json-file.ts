import { readFileSync } from 'node:fs'
import { z } from 'zod'

/**
 * The rule of a variable that names a JSON file with a list. The list is empty if no file is configured.
 *
 * @param content what the file lists, for the operator
 * @param zList the rule of the list
 * @param problemOf finds a further problem in a list that satisfies the rule
 */
export const jsonFile = <Entry>(
  content: string,
  zList: z.ZodType<readonly Entry[]>,
  problemOf: (list: readonly Entry[]) => string | undefined = () => undefined,
) =>
  z
    .string()
    .optional()
    .transform((path, context): readonly Entry[] => {
      if (path === undefined) return []
      const refuse = (reason: string) => {
        context.addIssue({ code: 'custom', message: `must name a JSON file of ${content}: ${reason}.` })
        return z.NEVER
      }
      let json: unknown
      try {
        json = JSON.parse(readFileSync(path, 'utf8'))
      } catch (error) {
        return refuse(error instanceof SyntaxError ? 'it is no JSON' : 'it cannot be read')
      }
      const parsed = zList.safeParse(json)
      if (!parsed.success) {
        const [issue] = parsed.error.issues
        return refuse(`${issue?.path.join('.')} ${issue?.message}`.trim())
      }
      const problem = problemOf(parsed.data)
      return problem === undefined ? parsed.data : refuse(problem)
    })

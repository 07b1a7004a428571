export function fits(version: string, ranges: string): boolean
export function requireNode(): void

/** What dead properties count; 0 without any. */
export function propertyBytesOf(dead: Readonly<Record<string, string>>): number {
  return Object.keys(dead).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(dead));
}

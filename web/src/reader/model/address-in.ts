/** The first address in a text, also of a `feed:` link; null without one. */
export function addressIn(text: string): string | null {
  const [found] = /(?:(?:web\+)?feed:(?:\/\/)?|https?:\/\/)[^\s<>"']+/i.exec(text) ?? [];
  if (found === undefined) {
    return null;
  }
  const bare = found.replace(/^(?:web\+)?feed:(?:\/\/)?/i, '').replace(/[.,;:!?)]+$/, '');
  const address = /^https?:\/\//i.test(bare) ? bare : `https://${bare}`;
  return URL.canParse(address) ? address : null;
}

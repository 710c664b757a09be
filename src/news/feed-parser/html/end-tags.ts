/** Tags as `sanitize-html` writes them: no `>` inside of attributes. */
const TAG = /<(\/?)([a-z][\w-]*)[^>]*?(\/?)>/gi;

/** Without an end tag and without ` />`, as in `<br>`. */
const VOID = new Set(['br', 'col', 'hr', 'img', 'source', 'track', 'wbr']);

/**
 * Gives end tags with a wrong name that of the element that they end. When an element was left out by
 * renaming it, `sanitize-html` 2.18 ends the next element at its depth with that name.
 *
 * @param html balanced, apart from the names
 * @param wrong the names of such end tags
 */
export function withRightEndTags(html: string, ...wrong: readonly string[]): string {
  if (!wrong.some((name) => html.includes(`</${name}>`))) {
    return html;
  }
  const open: string[] = [];
  // That of an element without an end tag ends nothing.
  const ended = wrong.reduce((text, name) => text.replaceAll(` /></${name}>`, ' />'), html);
  return ended.replace(TAG, (tag: string, slash: string, name: string, selfClosing: string) => {
    if (slash === '') {
      if (selfClosing === '' && !VOID.has(name.toLowerCase())) {
        open.push(name);
      }
      return tag;
    }
    return `</${open.pop() ?? name}>`;
  });
}

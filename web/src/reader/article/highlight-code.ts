/** Limits; further and longer blocks are left plain: the article must not stall while it is read. */
const MOST_BLOCKS = 40;
const MOST_CHARACTERS = 20_000;

/** Limit of code blocks without a named language: guessing tries every one. */
const MOST_GUESSED_BLOCKS = 5;
const MOST_GUESSED_CHARACTERS = 4_000;

/** Guesses below it are often wrong: plain texts, outputs of commands. */
const LEAST_RELEVANCE = 8;

/** Colours the code blocks of a shown article. The highlighter is loaded for the first of them. */
export async function highlightCode(body: HTMLElement): Promise<void> {
  const blocks = [...body.querySelectorAll<HTMLElement>('pre')]
    .map((pre) => {
      const code = pre.querySelector<HTMLElement>(':scope > code:only-child') ?? pre;
      const language = /language-([\w+-]+)/.exec(`${code.className} ${pre.className}`)?.[1];
      return { code, language, text: code.textContent ?? '' };
    })
    // Blocks with other markup, such as links, keep it.
    .filter(({ code, text }) => code.querySelector(':not(span)') === null && text.trim() !== '');
  const named = blocks
    .filter(({ language, text }) => language !== undefined && text.length <= MOST_CHARACTERS)
    .slice(0, MOST_BLOCKS);
  const guessed = blocks
    .filter(
      ({ language, text }) => language === undefined && text.length <= MOST_GUESSED_CHARACTERS,
    )
    .slice(0, MOST_GUESSED_BLOCKS);
  if (named.length + guessed.length === 0) {
    return;
  }
  const { default: highlighter } = await import('highlight.js/lib/common');
  for (const { code, language, text } of [...named, ...guessed]) {
    // Lets the browser draw, and answer keys, between two blocks.
    await new Promise((drawn) => setTimeout(drawn));
    const isUnknown = language !== undefined && highlighter.getLanguage(language) === undefined;
    if (isUnknown || !code.isConnected) {
      continue;
    }
    const { value, relevance } =
      language === undefined
        ? highlighter.highlightAuto(text)
        : highlighter.highlight(text, { language, ignoreIllegals: true });
    if (language !== undefined || relevance >= LEAST_RELEVANCE) {
      // Escaped by the highlighter, which adds nothing but spans with classes.
      code.innerHTML = value;
    }
  }
}

import { onScopeDispose, watchEffect } from 'vue';
import { preferences } from '../model/preferences.js';

const FONTS = {
  sans: 'var(--font)',
  serif:
    "Charter, 'Bitstream Charter', 'Sitka Text', Cambria, Georgia, 'Noto Serif', 'Liberation Serif', serif",
  mono: 'var(--font-mono)',
  legible:
    "'Atkinson Hyperlegible Next', 'Atkinson Hyperlegible', OpenDyslexic, Lexend, 'Comic Sans MS', 'Comic Neue', Verdana, 'DejaVu Sans', sans-serif",
} as const;

/** Relative to this, so that the browser's own font size counts too. */
const PIXELS_PER_REM = 16;

/**
 * Applies the chosen typography while the component is used, and the person's own style sheet unless
 * the address says `?safe`. Style sheets are made by script, which the content security policy allows
 * to the pages' own scripts only.
 *
 * @param withOwn false where a broken style sheet has to be repaired
 */
export function useAppearance(withOwn = true): void {
  const chosen = new CSSStyleSheet();
  const own = new CSSStyleSheet();
  const isSafe = !withOwn || new URLSearchParams(location.search).has('safe');
  watchEffect(() => chosen.replaceSync(`:root { ${properties()} }`));
  watchEffect(() => {
    own.replaceSync(isSafe ? '' : preferences.styleSheet);
    letWin(own);
  });
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, chosen, own];
  onScopeDispose(() => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter(
      (sheet) => sheet !== chosen && sheet !== own,
    );
  });
}

/** The custom properties of `ArticleView`. */
function properties(): string {
  const { font, fontSizePixels, lineCharacters, lineHeight, justify } = preferences;
  return [
    `--reader-font: ${FONTS[font]};`,
    `--reader-size: ${fontSizePixels / PIXELS_PER_REM}rem;`,
    `--reader-width: ${lineCharacters}ch;`,
    `--reader-leading: ${lineHeight};`,
    `--reader-alignment: ${justify ? 'justify' : 'start'};`,
    ...(font === 'legible' ? ['--reader-letters: 0.03em;', '--reader-words: 0.1em;'] : []),
  ].join(' ');
}

/** Marks the rules important: components' more specific rules would often win. */
function letWin({ cssRules }: { readonly cssRules: CSSRuleList }): void {
  for (const rule of cssRules) {
    if (rule instanceof CSSStyleRule) {
      for (const property of rule.style) {
        rule.style.setProperty(property, rule.style.getPropertyValue(property), 'important');
      }
    }
    if (rule instanceof CSSStyleRule || rule instanceof CSSGroupingRule) {
      letWin(rule);
    }
  }
}

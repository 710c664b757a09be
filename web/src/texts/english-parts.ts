const ATTRIBUTES = ['aria-label', 'alt', 'placeholder', 'title'];

/**
 * Marks elements as English whose text, or whose label if they have none, is one without a translation,
 * so that screen readers say it in English.
 *
 * @param texts as they are shown; it may grow
 */
export function markEnglish(texts: ReadonlySet<string>): void {
  const marked = new WeakSet<Element>();
  const isEnglish = (text: string | null) => text !== null && texts.has(text.trim());
  const mark = (element: Element) => {
    const isLabelled = ATTRIBUTES.some((name) => isEnglish(element.getAttribute(name)));
    const isIt =
      (isLabelled && element.textContent.trim() === '') ||
      (isEnglish(element.textContent) &&
        [...element.childNodes].some((node) => node instanceof Text && isEnglish(node.data)));
    if (isIt && !element.hasAttribute('lang')) {
      marked.add(element);
      element.setAttribute('lang', 'en');
    } else if (!isIt && marked.delete(element)) {
      element.removeAttribute('lang');
    }
  };
  const markIn = (node: Node) => {
    const element = node instanceof Element ? node : node.parentElement;
    element?.querySelectorAll('*').forEach(mark);
    if (element !== null) {
      mark(element);
    }
  };
  const changes = { attributes: true, characterData: true, childList: true, subtree: true };
  new MutationObserver((records) =>
    records.forEach(({ target, addedNodes }) => {
      mark(target instanceof Element ? target : (target.parentElement ?? document.body));
      addedNodes.forEach(markIn);
    }),
  ).observe(document.body, { ...changes, attributeFilter: ATTRIBUTES });
  markIn(document.body);
}

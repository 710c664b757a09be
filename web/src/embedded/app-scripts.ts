const PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Watches whether the page of the app stays empty, since its scripts cannot be had or do not come. It is
 * loaded again as soon as they can be had. Call it before scripts of the app run.
 *
 * @param tell called with true then, and with false if the app shows something after all
 */
export function watchAppScripts(tell: (isAway: boolean) => void): void {
  let isMissing = false;
  addEventListener('error', ({ target }) => void (isMissing ||= isOfApp(target)), true);

  function judge(): void {
    const script = [...document.scripts].find(isOfApp);
    if (script === undefined || !isEmpty() || (!isMissing && document.readyState === 'complete')) {
      return;
    }
    tell(true);
    void reloadWhenBack(script.src);
    const observer = new MutationObserver(() => {
      if (!isEmpty()) {
        observer.disconnect();
        tell(false);
      }
    });
    observer.observe(document.body, { childList: true, subtree: true });
  }

  const timer = setTimeout(judge, PATIENCE_MS);
  addEventListener('load', () => {
    clearTimeout(timer);
    judge();
  });
}

/** Front ends render into this element, or replace it. */
function isEmpty(): boolean {
  return document.getElementById('content')?.childElementCount === 0;
}

function isOfApp(target: unknown): target is HTMLScriptElement {
  return target instanceof HTMLScriptElement && target.defer;
}

/** Tries at growing intervals, while the page is visible and empty. */
async function reloadWhenBack(script: string): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; isEmpty(); pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = document.hidden ? null : fetch(script, { cache: 'no-store', signal });
    if ((await answer?.catch(() => null))?.ok && isEmpty()) {
      location.reload();
      return;
    }
  }
}

import type { CookieJar } from 'tough-cookie';

/** Of one answer; browsers keep as many of a site. */
const MOST_COOKIES = 50;

/**
 * The cookies of one chain of redirects, as in browsers (RFC 6265); gone with the chain. The caller's own ones
 * go to their origin only.
 */
export class RedirectCookies {
  #jar: CookieJar | undefined;
  #own: readonly string[];

  constructor(
    own: readonly string[],
    private readonly origin: string,
  ) {
    this.#own = own;
  }

  /** @param set the headers `Set-Cookie` of an answer; unfit ones are ignored */
  async keep(set: readonly string[], { href, origin }: URL): Promise<void> {
    if (set.length === 0) {
      return;
    }
    // Few chains need it, and it brings the list of public suffixes.
    this.#jar ??= new (await import('tough-cookie')).CookieJar(undefined, { looseMode: true });
    for (const text of set.slice(0, MOST_COOKIES)) {
      const name = this.#jar.setCookieSync(text, href, { ignoreError: true })?.key;
      this.#own = this.#own.filter(
        (own) => origin !== this.origin || own.split('=', 1)[0] !== name,
      );
    }
  }

  /** @returns the header for a request; empty without any */
  headerFor({ href, origin }: URL): string {
    const own = origin === this.origin ? this.#own : [];
    return [...own, this.#jar?.getCookieStringSync(href)].filter(Boolean).join('; ');
  }
}

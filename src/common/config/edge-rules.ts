/** Handling of one subject's paths at the HTTP edge. Declared by the room that serves them. */
export interface EdgeRule {
  /** Matched against the normalised path, see `plainAddress`. */
  readonly path: RegExp;
  /** The body is not parsed: the route streams it, or reads its bytes itself. */
  readonly rawBody?: true;
  /** Methods without a body time limit at the edge, because the route has its own. */
  readonly slowBody?: (method: string) => boolean;
  /** Proxied paths: ambiguous encodings are rejected. */
  readonly strictPath?: true;
  /** CORS: pages of other origins may call it, with explicit credentials. */
  readonly crossOrigin?: true;
  /** Served on the origin of external apps, where nothing else is, see `AppsOrigin`. */
  readonly onAppsOrigin?: true;
}

/** The rules of all rooms. */
export class EdgeRules {
  constructor(private readonly rules: readonly EdgeRule[]) {}

  hasRawBody(path: string): boolean {
    return this.#some(path, (rule) => rule.rawBody === true);
  }

  /** Whether the time limit of bodies does not apply. */
  maySendSlowly(method: string, path: string): boolean {
    return this.#some(path, (rule) => rule.slowBody?.(method) === true);
  }

  isStrict(path: string): boolean {
    return this.#some(path, (rule) => rule.strictPath === true);
  }

  isCrossOrigin(path: string): boolean {
    return this.#some(path, (rule) => rule.crossOrigin === true);
  }

  isOnAppsOrigin(path: string): boolean {
    return this.#some(path, (rule) => rule.onAppsOrigin === true);
  }

  #some(path: string, condition: (rule: EdgeRule) => boolean): boolean {
    return this.rules.some((rule) => condition(rule) && rule.path.test(path));
  }
}

/** Asks the visitor for a proof of identity. @returns false if they decline */
type Asker = () => Promise<boolean>;

let asker: Asker | undefined;
let asked: Promise<boolean> | undefined;

/** The page says how to ask; a page without it does not. */
export function askForProofBy(ask: Asker): void {
  asker = ask;
}

/** Once for all requests that need it at the same time. */
export async function askForProof(): Promise<boolean> {
  asked ??= (asker?.() ?? Promise.resolve(false)).finally(() => (asked = undefined));
  return asked;
}

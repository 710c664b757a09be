import { DomainError, notFound, unavailable } from '../../common/errors/domain-error.js';

export class PagesNotBuilt extends unavailable(
  'The pages are not built yet: run "npm run build" in the folder of Gatefold.',
) {}

export class PageNotFound extends notFound((path: string) => `There is no page at ${path}.`) {}

/** The page requires a login. */
export class LoginFirst extends DomainError {
  readonly kind = 'unauthenticated';

  /** @param wanted path and query of the page */
  constructor(readonly wanted: string) {
    super('Log in first.');
  }
}

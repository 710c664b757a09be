import { DomainError, type DomainErrorKind } from '../../../common/errors/domain-error.js';

/** Keywords of RFC 7644 section 3.12. */
export type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'invalidValue'
  | 'noTarget';

/** An error with a keyword for provisioning services. */
export abstract class ScimRefusal extends DomainError {
  abstract readonly scimType: ScimType | undefined;
}

/** No resource of this id, or one that is not managed by SCIM. */
export class NoScimResource extends ScimRefusal {
  readonly kind = 'not-found';
  readonly scimType = undefined;

  constructor(type: 'User' | 'Group', id: string) {
    super(`There is no ${type} ${JSON.stringify(id)} that is managed by SCIM.`);
  }
}

export class NotUnique extends ScimRefusal {
  readonly kind = 'conflict';
  readonly scimType = 'uniqueness';
}

export class InvalidScim extends ScimRefusal {
  readonly kind: DomainErrorKind = 'malformed';

  constructor(
    readonly scimType: Exclude<ScimType, 'uniqueness'>,
    message: string,
  ) {
    super(message);
  }
}

/** An operation that only users may do. */
export class NotByScim extends ScimRefusal {
  readonly kind = 'forbidden';
  readonly scimType = undefined;
}

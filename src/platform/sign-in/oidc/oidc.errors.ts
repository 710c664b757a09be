import { DomainError, type DomainErrorKind } from '../../../common/errors/domain-error.js';

/** Reason of a failed login at the identity provider. */
export type OidcProblem =
  | 'unreachable'
  | 'expired'
  | 'cancelled'
  | 'unproven'
  | 'no-usable-name'
  | 'no-account'
  | 'name-taken'
  | 'disabled';

const SENTENCES: Readonly<Record<OidcProblem, string>> = {
  unreachable: 'The identity provider cannot be reached.',
  expired: 'The login took too long, or was begun in another browser.',
  cancelled: 'The identity provider did not log the user in.',
  unproven: 'The answer of the identity provider is not valid.',
  'no-usable-name': 'The identity provider gives no name that can be a user name.',
  'no-account': 'There is no account for this user of the identity provider.',
  'name-taken': 'The account of that name belongs to another user.',
  disabled: 'The account is disabled.',
};

const KINDS: Partial<Record<OidcProblem, DomainErrorKind>> = {
  unreachable: 'unavailable',
  expired: 'malformed',
  unproven: 'malformed',
};

export class OidcLoginFailed extends DomainError {
  readonly kind: DomainErrorKind;

  /** @param options the cause, for the log */
  constructor(
    readonly problem: OidcProblem,
    options?: ErrorOptions,
  ) {
    super(SENTENCES[problem], options);
    this.kind = KINDS[problem] ?? 'forbidden';
  }
}

import { errorOf } from '../../../common/errors/domain-error.js';

/** A hub takes this answer as a refusal. */
export class UnknownSubscription extends errorOf('not-found', 'There is no such subscription.') {}
